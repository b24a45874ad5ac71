check_PROGRAMS += %D%/resolve.t
TESTS += %D%/resolve.t
%C%_resolve_t_SOURCES = %D%/resolve.c test/unit/nspace/build.h
%C%_resolve_t_LDADD = libpx-ops.la libpx-nspace.la libpx-gds.la libpx-wire.la libpx-value.la libpx-shmem.la \
  libpx-base.la $(ZLIB_LIBS) $(CMOCKA_LIBS)
px_ops_tests = %D%/attributes.t %D%/tool_discovery.t %D%/query_args.t %D%/query_results.t %D%/server_list.t
px_ops_test_libs = libpx-ops.la libpx-nspace.la libpx-gds.la libpx-wire.la libpx-value.la libpx-shmem.la libpx-base.la \
  $(ZLIB_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += $(px_ops_tests)
noinst_HEADERS += %D%/room.h
TESTS += $(px_ops_tests)
%C%_attributes_t_SOURCES = %D%/attributes.c
%C%_attributes_t_LDADD = $(px_ops_test_libs)
%C%_query_args_t_SOURCES = %D%/query_args.c
%C%_query_args_t_LDADD = $(px_ops_test_libs)
%C%_query_results_t_SOURCES = %D%/query_results.c
%C%_query_results_t_LDADD = $(px_ops_test_libs)
%C%_tool_discovery_t_SOURCES = %D%/tool_discovery.c
%C%_tool_discovery_t_LDADD = $(px_ops_test_libs) libpx-net.la libpx-wire.la libpx-value.la \
  libpx-loop.la libpx-base.la $(LIBEVENT_LIBS) $(ZLIB_LIBS)
%C%_server_list_t_SOURCES = %D%/server_list.c
%C%_server_list_t_LDADD = $(px_ops_test_libs) libpx-net.la libpx-wire.la libpx-value.la \
  libpx-loop.la libpx-base.la $(LIBEVENT_LIBS) $(ZLIB_LIBS)
