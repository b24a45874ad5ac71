noinst_LTLIBRARIES += libpx-base.la
libpx_base_la_SOURCES = %D%/assert.h %D%/atomic.h %D%/buf.c %D%/buf.h %D%/bytes.h %D%/hash.c %D%/hash.h \
  %D%/list.h %D%/status.h
