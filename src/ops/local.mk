noinst_LTLIBRARIES += libpx-ops.la
libpx_ops_la_SOURCES = %D%/resolve.c %D%/resolve.h %D%/version.c %D%/version.h
