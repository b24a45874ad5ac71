noinst_LTLIBRARIES += libpx-request.la
libpx_request_la_SOURCES = %D%/args.h %D%/fields.c %D%/fields.h %D%/reply.c %D%/reply.h %D%/schema.c %D%/schema.h
