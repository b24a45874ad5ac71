# End to end through the exported functions: this layer has no use by itself. Private parts are tested by name.
server_unit_tests = %D%/data.t %D%/host.t %D%/rendezvous.t %D%/sync.t
check_PROGRAMS += $(server_unit_tests)
TESTS += $(server_unit_tests)
%C%_data_t_SOURCES = %D%/data.c %D%/world.c %D%/world.h
%C%_data_t_LDADD = libpmix.la $(CMOCKA_LIBS)
%C%_data_t_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_host_t_SOURCES = %D%/host.c %D%/world.c %D%/world.h
%C%_host_t_LDADD = libpmix.la $(CMOCKA_LIBS)
%C%_host_t_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_sync_t_SOURCES = %D%/sync.c %D%/world.c %D%/world.h
%C%_sync_t_LDADD = libpmix.la $(CMOCKA_LIBS)
%C%_sync_t_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_rendezvous_t_SOURCES = %D%/rendezvous.c
%C%_rendezvous_t_LDADD = libpmix.la $(CMOCKA_LIBS)
%C%_rendezvous_t_LDFLAGS = $(AM_LDFLAGS) -no-install
