noinst_LTLIBRARIES += libpx-topo.la
libpx_topo_la_SOURCES =
