noinst_LTLIBRARIES += libpx-net.la
libpx_net_la_SOURCES = %D%/auth.c %D%/auth.h %D%/conn.c %D%/conn.h %D%/conn_priv.h %D%/conn_read.c \
  %D%/conn_write.c %D%/dial.c %D%/dial.h %D%/door.c %D%/door.h %D%/door_priv.h %D%/guest.c %D%/hello.c \
  %D%/hello.h %D%/listen.c %D%/listen.h %D%/munge.c %D%/munge.h %D%/peer_id.c %D%/peer_id.h %D%/uri.c %D%/uri.h
