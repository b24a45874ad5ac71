noinst_LTLIBRARIES += libpx-discovery.la
libpx_discovery_la_SOURCES = %D%/server_list.c %D%/server_list.h %D%/tool_discovery.c %D%/tool_discovery.h
