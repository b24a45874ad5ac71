noinst_LTLIBRARIES += libpx-nspace.la
libpx_nspace_la_SOURCES =
