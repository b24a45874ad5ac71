noinst_LTLIBRARIES += libpx-gds.la
libpx_gds_la_SOURCES =
