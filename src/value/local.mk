noinst_LTLIBRARIES += libpx-value.la
libpx_value_la_SOURCES = %D%/argv.c %D%/attributes.c %D%/attributes.h %D%/buffer.c %D%/calls.def \
  %D%/darray.c %D%/directives.c %D%/directives.def %D%/directives.h \
  %D%/info.c %D%/infolist.c %D%/infos.c %D%/infos.h %D%/keys.c %D%/keys.h %D%/load.c %D%/load.h %D%/meanings.def %D%/members.def \
  %D%/names.def %D%/nested.c %D%/nested.h %D%/nouns.c %D%/nouns.def %D%/number.c %D%/number.h %D%/opaque.c \
  %D%/print.c %D%/print.h %D%/proc_list.c %D%/proc_list.h %D%/proc_match.c %D%/proc_match.h %D%/procs.c %D%/procs.h %D%/records.c %D%/scalars.c %D%/scalars.h %D%/shapes.h \
  %D%/strings.c %D%/strings.h %D%/strings_gen.c %D%/strings_gen.h %D%/structs.c %D%/structs.h %D%/text.c %D%/text.h \
  %D%/types.c %D%/types.def %D%/types.h %D%/value.c %D%/value_hooks.h
