noinst_LTLIBRARIES += libpx-net.la
libpx_net_la_SOURCES = %D%/auth.c %D%/auth.h %D%/conn.c %D%/conn.h %D%/conn_pool.h %D%/conn_priv.h %D%/conn_read.c %D%/conn_read.h %D%/conn_sender.c %D%/conn_sender.h \
  %D%/conn_write.c %D%/conn_write.h %D%/dial.c %D%/dial.h %D%/fd_table.c %D%/fd_table.h %D%/handshake.c %D%/handshake.h %D%/listen.c %D%/listen.h \
  %D%/listener.c %D%/listener.h %D%/listener_priv.h %D%/mailbox.c %D%/mailbox.h %D%/munge.c %D%/munge.h %D%/pending_conn.c %D%/pending_conn.h \
  %D%/strangers.c %D%/strangers.h %D%/syslog.c %D%/syslog.h %D%/tcp_owner.c %D%/tcp_owner.h %D%/uri.c %D%/uri.h
