noinst_LTLIBRARIES += libpx-ops.la
libpx_ops_la_SOURCES = %D%/ask.h %D%/attributes.c %D%/attributes.h %D%/calls.def %D%/find.c %D%/find.h %D%/queries.c %D%/queries.h \
  %D%/resolve.c %D%/resolve.h %D%/results.c %D%/results.h %D%/servers.c %D%/servers.h %D%/version.c %D%/version.h
