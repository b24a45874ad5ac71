# Mutants: small changes of the library, and the test that has to notice each; HACKING.md says more.
px_mutant_lists = %D%/api.list %D%/base.list %D%/client.list %D%/commands.list %D%/event.list %D%/gds.list %D%/groups.list \
  %D%/loop.list %D%/net.list %D%/nspace.list %D%/output.list %D%/programs.list %D%/quota.list %D%/request.list %D%/server.list %D%/shmem.list \
  %D%/spawn.list %D%/tool.list %D%/topo.list %D%/trace.list %D%/value.list %D%/waits.list %D%/wire.list
EXTRA_DIST += $(px_mutant_lists) %D%/none scripts/run-mutants scripts/mutants.awk scripts/mutate.awk
dist_check_SCRIPTS += %D%/mutants.sh
TESTS += %D%/mutants.sh
px_long_tests += %D%/mutants.sh

# All of them, or those whose id, requirements or file match MUTANTS='PATTERN...', or MUTANT_FLAGS='-n 20 -s SEED' at random.
.PHONY: mutants
mutants: all-am $(check_PROGRAMS)
	PX_TOP_SRCDIR='$(abs_top_srcdir)' PX_TOP_BUILDDIR='$(abs_top_builddir)' AWK='$(AWK)' \
	  $(SHELL) $(top_srcdir)/scripts/run-mutants $(MUTANT_FLAGS) $(MUTANTS)

# For run-mutants, which asks what these commands are (make -n).
.PHONY: mutant-compile mutant-link mutant-libs mutant-objects
mutant-compile:
	$(COMPILE) $(HWLOC_CFLAGS)
mutant-link:
	$(CCLD) -shared $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS)
mutant-libs:
	: $(LIBS)
mutant-objects:
	@echo $(libpx_api_la_OBJECTS) $(libpx_server_la_OBJECTS) $(libpx_client_la_OBJECTS) $(libpx_event_la_OBJECTS) \
	  $(libpx_context_la_OBJECTS) $(libpx_discovery_la_OBJECTS) $(libpx_nspace_la_OBJECTS) $(libpx_net_la_OBJECTS) \
	  $(libpx_gds_la_OBJECTS) $(libpx_waits_la_OBJECTS) $(libpx_request_la_OBJECTS) $(libpx_wire_la_OBJECTS) $(libpx_topo_la_OBJECTS) \
	  $(libpx_value_la_OBJECTS) $(libpx_loop_la_OBJECTS) $(libpx_shmem_la_OBJECTS) $(libpx_base_la_OBJECTS)

.PHONY: clean-mutants
clean-mutants:
	rm -rf mutants
clean-local: clean-mutants

# what one process and one user may hold
px_mutant_lists += %D%/quota.list

# output and what else tools ask for
px_mutant_lists += %D%/output.list

# what is waited for
px_mutant_lists += %D%/waits.list

# the commands that ask servers
px_mutant_lists += %D%/commands.list

# pmixrun, pmix-shm and pmix_info.
px_mutant_lists += %D%/programs.list

# The records of pmixrun --trace.
px_mutant_lists += %D%/trace.list
