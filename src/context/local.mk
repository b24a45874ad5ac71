noinst_LTLIBRARIES += libpx-context.la
libpx_context_la_SOURCES = %D%/context.c %D%/context.h %D%/log_channels.c %D%/log_channels.h \
  %D%/output_sink.c %D%/output_sink.h %D%/request.c %D%/reply_after.c %D%/reply_after.h %D%/reply_wait.c %D%/reply_wait.h %D%/request.h %D%/role.h
