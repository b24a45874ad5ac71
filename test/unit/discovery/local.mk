px_discovery_tests = %D%/tool_discovery.t %D%/server_list.t
px_discovery_test_libs = libpx-discovery.la libpx-nspace.la libpx-net.la libpx-gds.la libpx-wire.la libpx-value.la \
  libpx-loop.la libpx-shmem.la libpx-base.la $(CMOCKA_LIBS)
check_PROGRAMS += $(px_discovery_tests)
noinst_HEADERS += %D%/room.h
TESTS += $(px_discovery_tests)
%C%_tool_discovery_t_SOURCES = %D%/tool_discovery.c
%C%_tool_discovery_t_LDADD = $(px_discovery_test_libs)
%C%_server_list_t_SOURCES = %D%/server_list.c
%C%_server_list_t_LDADD = $(px_discovery_test_libs)
