net_tests = %D%/auth.t %D%/conn.t %D%/conn_read.t %D%/conn_write.t %D%/dial.t %D%/fd_table.t %D%/listener.t %D%/pending_conn.t %D%/handshake.t \
  %D%/listen.t %D%/strangers.t %D%/tcp_owner.t %D%/faults.t %D%/uri.t
net_libs = libpx-net.la libpx-wire.la libpx-value.la libpx-loop.la libpx-base.la \
  $(CMOCKA_LIBS)
check_PROGRAMS += $(net_tests)
TESTS += $(net_tests)
noinst_HEADERS += %D%/fixture.h %D%/echo_server.h %D%/pair.h %D%/faults.h
%C%_auth_t_SOURCES = %D%/auth.c
%C%_auth_t_LDADD = $(net_libs)
%C%_conn_t_SOURCES = %D%/conn.c
%C%_conn_t_LDADD = $(net_libs)
%C%_conn_read_t_SOURCES = %D%/conn_read.c test/unit/loop/asleep.h
%C%_conn_read_t_LDADD = $(net_libs)
%C%_conn_write_t_SOURCES = %D%/conn_write.c
%C%_conn_write_t_LDADD = $(net_libs)
%C%_conn_write_t_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=sendmsg
%C%_dial_t_SOURCES = %D%/dial.c
%C%_dial_t_LDADD = $(net_libs)
%C%_fd_table_t_SOURCES = %D%/fd_table.c
%C%_fd_table_t_LDADD = $(net_libs)
%C%_listener_t_SOURCES = %D%/listener.c
%C%_listener_t_LDADD = $(net_libs)
%C%_pending_conn_t_SOURCES = %D%/pending_conn.c
%C%_pending_conn_t_LDADD = $(net_libs)
%C%_handshake_t_SOURCES = %D%/handshake.c
%C%_handshake_t_LDADD = $(net_libs)
%C%_listen_t_SOURCES = %D%/listen.c
%C%_listen_t_LDADD = $(net_libs)
%C%_strangers_t_SOURCES = %D%/strangers.c
%C%_strangers_t_LDADD = $(net_libs)
%C%_tcp_owner_t_SOURCES = %D%/tcp_owner.c
%C%_tcp_owner_t_LDADD = $(net_libs)
%C%_faults_t_SOURCES = %D%/faults.c
%C%_faults_t_LDADD = $(net_libs)
%C%_faults_t_LDFLAGS = $(AM_LDFLAGS) $(PX_WRAP_ALLOC)
%C%_uri_t_SOURCES = %D%/uri.c
%C%_uri_t_LDADD = $(net_libs)
