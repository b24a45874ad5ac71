noinst_LTLIBRARIES += libpx-event.la
libpx_event_la_SOURCES = %D%/chain.c %D%/chain.h %D%/handler.h %D%/registry.c %D%/registry.h
