noinst_LTLIBRARIES += libpx-ops.la
libpx_ops_la_SOURCES = %D%/attributes.c %D%/attributes.h %D%/calls.def %D%/queries.c %D%/queries.h \
  %D%/resolve.c %D%/resolve.h %D%/results.c %D%/results.h %D%/support.def %D%/version.c %D%/version.h
