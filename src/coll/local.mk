noinst_LTLIBRARIES += libpx-coll.la
libpx_coll_la_SOURCES = %D%/modex_blob.c %D%/modex_blob.h %D%/high_water.c %D%/high_water.h %D%/tracker.c %D%/tracker.h
