check_PROGRAMS += %D%/resolve.t
TESTS += %D%/resolve.t
%C%_resolve_t_SOURCES = %D%/resolve.c test/unit/nspace/build.h
%C%_resolve_t_LDADD = libpx-ops.la libpx-nspace.la libpx-gds.la libpx-wire.la libpx-value.la libpx-shmem.la \
  libpx-base.la $(ZLIB_LIBS) $(CMOCKA_LIBS)
px_ops_tests = %D%/attributes.t %D%/find.t %D%/queries.t %D%/results.t %D%/servers.t
px_ops_test_libs = libpx-ops.la libpx-nspace.la libpx-gds.la libpx-wire.la libpx-value.la libpx-shmem.la libpx-base.la \
  $(ZLIB_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += $(px_ops_tests)
noinst_HEADERS += %D%/room.h
TESTS += $(px_ops_tests)
%C%_attributes_t_SOURCES = %D%/attributes.c
%C%_attributes_t_LDADD = $(px_ops_test_libs)
%C%_queries_t_SOURCES = %D%/queries.c
%C%_queries_t_LDADD = $(px_ops_test_libs)
%C%_results_t_SOURCES = %D%/results.c
%C%_results_t_LDADD = $(px_ops_test_libs)
%C%_find_t_SOURCES = %D%/find.c
%C%_find_t_LDADD = $(px_ops_test_libs) libpx-net.la libpx-wire.la libpx-value.la \
  libpx-loop.la libpx-base.la $(LIBEVENT_LIBS) $(ZLIB_LIBS)
%C%_servers_t_SOURCES = %D%/servers.c
%C%_servers_t_LDADD = $(px_ops_test_libs) libpx-net.la libpx-wire.la libpx-value.la \
  libpx-loop.la libpx-base.la $(LIBEVENT_LIBS) $(ZLIB_LIBS)
