noinst_LTLIBRARIES += libpx-net.la
libpx_net_la_SOURCES =
