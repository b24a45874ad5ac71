noinst_LTLIBRARIES += libpx-client.la
libpx_client_la_SOURCES =
