noinst_LTLIBRARIES += libpx-loop.la
libpx_loop_la_SOURCES =
