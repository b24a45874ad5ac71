noinst_LTLIBRARIES += libpx-ops.la
libpx_ops_la_SOURCES = %D%/ask.h %D%/attributes.c %D%/attributes.h %D%/calls.def %D%/tool_discovery.c %D%/tool_discovery.h %D%/query_args.c %D%/query_args.h \
  %D%/resolve.c %D%/resolve.h %D%/query_results.c %D%/query_results.h %D%/server_list.c %D%/server_list.h %D%/version.c %D%/version.h
