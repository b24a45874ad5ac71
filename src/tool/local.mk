noinst_LTLIBRARIES += libpx-tool.la
libpx_tool_la_SOURCES = %D%/find.c %D%/find.h %D%/tool.c %D%/tool.h
