noinst_LTLIBRARIES += libpx-peer.la
libpx_peer_la_SOURCES =
