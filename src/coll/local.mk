noinst_LTLIBRARIES += libpx-coll.la
libpx_coll_la_SOURCES = %D%/blob.c %D%/blob.h %D%/sent.c %D%/sent.h %D%/tracker.c %D%/tracker.h
