noinst_LTLIBRARIES += libpx-wire.la
libpx_wire_la_SOURCES =
