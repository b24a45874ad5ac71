noinst_LTLIBRARIES += libpx-wire.la
libpx_wire_la_SOURCES = %D%/codec.h %D%/compress.c %D%/compress.h %D%/flex.h %D%/frame.h \
  %D%/wire_hooks.c %D%/wire_hooks.h %D%/map_text.h %D%/message.h %D%/messages.c %D%/pack.c %D%/regex.c %D%/regex.h \
  %D%/regex_make.c %D%/take.c %D%/take.h %D%/unpack.c %D%/view.c
