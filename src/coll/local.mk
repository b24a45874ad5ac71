noinst_LTLIBRARIES += libpx-coll.la
libpx_coll_la_SOURCES =
