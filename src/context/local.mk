noinst_LTLIBRARIES += libpx-context.la
libpx_context_la_SOURCES = %D%/context.c %D%/context.h %D%/request.c %D%/reply_after.c %D%/reply_after.h %D%/reply_wait.c %D%/reply_wait.h %D%/request.h %D%/role.h
