noinst_LTLIBRARIES += libpx-peer.la
libpx_peer_la_SOURCES = %D%/context.c %D%/context.h %D%/request.c %D%/request.h %D%/role.h
