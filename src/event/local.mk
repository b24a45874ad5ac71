noinst_LTLIBRARIES += libpx-event.la
libpx_event_la_SOURCES =
