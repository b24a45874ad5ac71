noinst_LTLIBRARIES += libpx-tool.la
libpx_tool_la_SOURCES = %D%/tool.c %D%/tool.h
