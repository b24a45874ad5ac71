noinst_LTLIBRARIES += libpx-api.la
libpx_api_la_SOURCES =
