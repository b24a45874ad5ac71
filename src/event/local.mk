noinst_LTLIBRARIES += libpx-event.la
libpx_event_la_SOURCES = %D%/chain.c %D%/chain.h %D%/code_set.c %D%/code_set.h \
  %D%/ended_procs.c %D%/ended_procs.h %D%/handler.h %D%/own_input.c %D%/own_input.h %D%/process_end.c %D%/process_end.h %D%/registry.c %D%/registry.h %D%/shared_infos.c \
  %D%/shared_infos.h
