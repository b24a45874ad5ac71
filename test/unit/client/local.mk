px_client_test_libs = libpx-client.la libpx-ops.la libpx-event.la libpx-peer.la libpx-nspace.la libpx-net.la libpx-gds.la \
  libpx-wire.la libpx-topo.la libpx-value.la libpx-loop.la libpx-shmem.la libpx-base.la \
  $(LIBEVENT_LIBS) $(HWLOC_LIBS) $(ZLIB_LIBS) $(CMOCKA_LIBS)
px_client_tests = %D%/alone.t %D%/foreign.t %D%/glance.t %D%/group.t %D%/moved.t %D%/served.t %D%/want.t
check_PROGRAMS += $(px_client_tests)
TESTS += $(px_client_tests)
noinst_HEADERS += %D%/script.h
%C%_alone_t_SOURCES = %D%/alone.c
%C%_alone_t_LDADD = $(px_client_test_libs)
%C%_foreign_t_SOURCES = %D%/foreign.c
%C%_foreign_t_LDADD = $(px_client_test_libs)
%C%_glance_t_SOURCES = %D%/glance.c
%C%_glance_t_LDADD = $(px_client_test_libs)
%C%_group_t_SOURCES = %D%/group.c
%C%_group_t_LDADD = $(px_client_test_libs)
%C%_moved_t_SOURCES = %D%/moved.c
%C%_moved_t_LDADD = $(px_client_test_libs)
%C%_served_t_SOURCES = %D%/served.c
%C%_served_t_LDADD = $(px_client_test_libs)
%C%_want_t_SOURCES = %D%/want.c
%C%_want_t_LDADD = $(px_client_test_libs)
