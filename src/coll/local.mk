noinst_LTLIBRARIES += libpx-coll.la
libpx_coll_la_SOURCES = %D%/blob.c %D%/blob.h %D%/tracker.c %D%/tracker.h
