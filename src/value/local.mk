noinst_LTLIBRARIES += libpx-value.la
libpx_value_la_SOURCES =
