noinst_LTLIBRARIES += libpx-server.la
libpx_server_la_SOURCES =
