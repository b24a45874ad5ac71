noinst_LTLIBRARIES += libpx-wire.la
libpx_wire_la_SOURCES = %D%/codec.h %D%/command_name.c %D%/command_name.h %D%/compress.c %D%/compress.h %D%/flex.h %D%/frame.h %D%/kval_view.c %D%/kval_view.h %D%/map_text.h \
  %D%/message.h %D%/messages.c %D%/messages.h %D%/owed.c %D%/owed.h %D%/pack.c %D%/pack.h %D%/regex.c %D%/regex.h %D%/regex2.c %D%/regex2.h %D%/regex_make.c \
  %D%/regex_make.h %D%/take.c %D%/take.h %D%/unpack.c %D%/unpack.h %D%/view.c %D%/view.h %D%/wire_hooks.c \
  %D%/wire_hooks.h %D%/zlib_lib.c %D%/zlib_lib.h
