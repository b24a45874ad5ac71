noinst_LTLIBRARIES += libpx-context.la
libpx_context_la_SOURCES = %D%/context.c %D%/context.h %D%/request.c %D%/request.h %D%/role.h
