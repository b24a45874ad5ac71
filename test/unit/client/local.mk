px_client_test_libs = libpx-client.la libpx-event.la libpx-context.la libpx-discovery.la libpx-nspace.la libpx-net.la libpx-gds.la libpx-request.la \
  libpx-wire.la libpx-topo.la libpx-value.la libpx-loop.la libpx-shmem.la libpx-base.la \
 $(ZLIB_LIBS) $(CMOCKA_LIBS)
px_client_tests = %D%/alone.t %D%/assigned_name.t %D%/collected.t %D%/collectives.t %D%/other_nspace.t %D%/get_fast.t %D%/group.t %D%/refresh.t %D%/served.t %D%/get_request.t %D%/query_results.t %D%/former.t %D%/uncommitted.t %D%/member_data.t %D%/refreshed.t
check_PROGRAMS += $(px_client_tests)
TESTS += $(px_client_tests)
noinst_HEADERS += %D%/script.h %D%/unlaunched.h
%C%_alone_t_SOURCES = %D%/alone.c
%C%_alone_t_LDADD = $(px_client_test_libs)
%C%_assigned_name_t_SOURCES = %D%/assigned_name.c
%C%_assigned_name_t_LDADD = $(px_client_test_libs)
%C%_collectives_t_SOURCES = %D%/collectives.c test/unit/wire/hex.h
%C%_collectives_t_LDADD = $(px_client_test_libs)
%C%_collected_t_SOURCES = %D%/collected.c
%C%_collected_t_LDADD = $(px_client_test_libs)
%C%_other_nspace_t_SOURCES = %D%/other_nspace.c
%C%_other_nspace_t_LDADD = $(px_client_test_libs)
%C%_uncommitted_t_SOURCES = %D%/uncommitted.c
%C%_uncommitted_t_LDADD = $(px_client_test_libs)
%C%_member_data_t_SOURCES = %D%/member_data.c
%C%_member_data_t_LDADD = $(px_client_test_libs)
%C%_former_t_SOURCES = %D%/former.c
%C%_former_t_LDADD = $(px_client_test_libs)
%C%_get_fast_t_SOURCES = %D%/get_fast.c
%C%_get_fast_t_LDADD = $(px_client_test_libs)
%C%_group_t_SOURCES = %D%/group.c
%C%_group_t_LDADD = $(px_client_test_libs)
%C%_refresh_t_SOURCES = %D%/refresh.c
%C%_refresh_t_LDADD = $(px_client_test_libs)
%C%_refreshed_t_SOURCES = %D%/refreshed.c
%C%_refreshed_t_LDADD = $(px_client_test_libs)
%C%_refreshed_t_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=px_session_refreshed
%C%_served_t_SOURCES = %D%/served.c
%C%_served_t_LDADD = $(px_client_test_libs)
%C%_get_request_t_SOURCES = %D%/get_request.c
%C%_get_request_t_LDADD = $(px_client_test_libs)
%C%_query_results_t_SOURCES = %D%/query_results.c
%C%_query_results_t_LDADD = $(px_client_test_libs)
