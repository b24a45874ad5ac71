px_event_test_libs = libpx-event.la libpx-context.la libpx-nspace.la libpx-net.la libpx-gds.la libpx-shmem.la \
  libpx-wire.la libpx-value.la libpx-loop.la libpx-base.la $(CMOCKA_LIBS)
check_PROGRAMS += %D%/chain.t %D%/code_set.t %D%/ended_procs.t %D%/own_input.t %D%/registry.t
TESTS += %D%/chain.t %D%/code_set.t %D%/ended_procs.t %D%/own_input.t %D%/registry.t
noinst_HEADERS += %D%/fixture.h
%C%_chain_t_SOURCES = %D%/chain.c
%C%_chain_t_LDADD = $(px_event_test_libs)
%C%_chain_t_LDFLAGS = $(AM_LDFLAGS) $(PX_WRAP_ALLOC)
%C%_code_set_t_SOURCES = %D%/code_set.c
%C%_code_set_t_LDADD = $(px_event_test_libs)
%C%_registry_t_SOURCES = %D%/registry.c
%C%_registry_t_LDADD = $(px_event_test_libs)
%C%_ended_procs_t_SOURCES = %D%/ended_procs.c
%C%_ended_procs_t_LDADD = $(px_event_test_libs)
%C%_own_input_t_SOURCES = %D%/own_input.c
%C%_own_input_t_LDADD = libpx-event.la libpx-context.la libpx-nspace.la libpx-net.la libpx-gds.la libpx-shmem.la libpx-request.la \
  libpx-wire.la libpx-value.la libpx-loop.la libpx-base.la $(CMOCKA_LIBS)
