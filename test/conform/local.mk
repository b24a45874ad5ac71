# Conformance: each program is a table of cases over the public interface; README.md says how to add one.
check_LTLIBRARIES += %D%/libconform.la
conform_lib = %D%/lib/answers.c %D%/lib/board.c %D%/lib/calls.c %D%/lib/children.c %D%/lib/client.c %D%/lib/driver.c %D%/lib/foreign.c \
  %D%/lib/gather.c %D%/lib/groups.c %D%/lib/host.c %D%/lib/infos.c %D%/lib/invites.c %D%/lib/job.c %D%/lib/module.c %D%/lib/queries.c %D%/lib/record.c %D%/lib/relay.c \
  %D%/lib/launches.c %D%/lib/requests.c %D%/lib/servers.c %D%/lib/shares.c %D%/lib/support.c %D%/lib/tools.c %D%/lib/turns.c %D%/lib/verdict.c %D%/lib/world.c
%C%_libconform_la_SOURCES = $(conform_lib) %D%/lib/answers.h %D%/lib/calls.h %D%/lib/children.h %D%/lib/conform.h %D%/lib/groups.h %D%/lib/inside.h \
  %D%/lib/invites.h %D%/lib/launches.h %D%/lib/newer.h %D%/lib/queries.h %D%/lib/relay.h %D%/lib/requests.h %D%/lib/support.h %D%/lib/tools.h

conform_ldadd = %D%/libconform.la libpx-host.la libpmix.la
conform_ldflags = $(AM_LDFLAGS) -no-install
conform_programs = \
  %D%/asked.t \
  %D%/collected.t \
  %D%/connect.t \
  %D%/departures.t \
  %D%/delete.t \
  %D%/directives.t \
  %D%/door.t \
  %D%/edges.t \
  %D%/edges_get.t \
  %D%/edges_query.t \
  %D%/ends.t \
  %D%/event_chain.t \
  %D%/event_once.t \
  %D%/event_ways.t \
  %D%/fence.t \
  %D%/fence_end.t \
  %D%/flags.t \
  %D%/foreign.t \
  %D%/get.t \
  %D%/get_all.t \
  %D%/get_directives.t \
  %D%/group.t \
  %D%/group_added.t \
  %D%/group_get.t \
  %D%/group_decide.t \
  %D%/group_faults.t \
  %D%/group_parts.t \
  %D%/group_ids.t \
  %D%/group_given.t \
  %D%/group_leave.t \
  %D%/group_make.t \
  %D%/group_names.t \
  %D%/group_time.t \
  %D%/growth.t \
  %D%/harness.t \
  %D%/host_answers.t \
  %D%/init.t \
  %D%/input.t \
  %D%/invite.t \
  %D%/invite_ends.t \
  %D%/invite_leader.t \
  %D%/invited.t \
  %D%/itself.t \
  %D%/job.t \
  %D%/keys.t \
  %D%/launcher.t \
  %D%/launcher_input.t \
  %D%/launcher_relay.t \
  %D%/launcher_start.t \
  %D%/members.t \
  %D%/modex.t \
  %D%/monitor.t \
  %D%/output.t \
  %D%/output_files.t \
  %D%/params.t \
  %D%/put.t \
  %D%/put_types.t \
  %D%/query.t \
  %D%/query_local.t \
  %D%/random.t \
  %D%/resolve.t \
  %D%/resolve_build.t \
  %D%/resolve_layers.t \
  %D%/returned.t \
  %D%/server.t \
  %D%/session.t \
  %D%/setup.t \
  %D%/spawn.t \
  %D%/support.t \
  %D%/tool.t \
  %D%/tool_files.t \
  %D%/tool_life.t \
  %D%/tool_posts.t \
  %D%/tool_search.t \
  %D%/tool_attach.t \
  %D%/tool_requests.t \
  %D%/tool_debug.t \
  %D%/tool_unwelcome.t \
  %D%/forwarding.t \
  %D%/tool_reads.t \
  %D%/tool_servers.t \
  %D%/upcall_data.t \
  %D%/proc_sets.t \
  %D%/publish.t \
  %D%/topology.t \
  %D%/upcalls.t
check_PROGRAMS += $(conform_programs)
TESTS += $(conform_programs)

%C%_asked_t_SOURCES = %D%/asked.c
%C%_asked_t_LDADD = $(conform_ldadd)
%C%_asked_t_LDFLAGS = $(conform_ldflags)
%C%_connect_t_SOURCES = %D%/connect.c
%C%_connect_t_LDADD = $(conform_ldadd)
%C%_connect_t_LDFLAGS = $(conform_ldflags)
%C%_spawn_t_SOURCES = %D%/spawn.c
%C%_spawn_t_LDADD = $(conform_ldadd)
%C%_spawn_t_LDFLAGS = $(conform_ldflags)
%C%_collected_t_SOURCES = %D%/collected.c
%C%_collected_t_LDADD = $(conform_ldadd)
%C%_collected_t_LDFLAGS = $(conform_ldflags)
%C%_departures_t_SOURCES = %D%/departures.c
%C%_departures_t_LDADD = $(conform_ldadd)
%C%_departures_t_LDFLAGS = $(conform_ldflags)
%C%_delete_t_SOURCES = %D%/delete.c
%C%_delete_t_LDADD = $(conform_ldadd)
%C%_delete_t_LDFLAGS = $(conform_ldflags)
%C%_directives_t_SOURCES = %D%/directives.c
%C%_directives_t_LDADD = $(conform_ldadd)
%C%_directives_t_LDFLAGS = $(conform_ldflags)
%C%_door_t_SOURCES = %D%/door.c
%C%_door_t_LDADD = $(conform_ldadd)
%C%_door_t_LDFLAGS = $(conform_ldflags)
%C%_edges_t_SOURCES = %D%/edges.c
%C%_edges_t_LDADD = $(conform_ldadd)
%C%_edges_t_LDFLAGS = $(conform_ldflags)
%C%_edges_get_t_SOURCES = %D%/edges_get.c
%C%_edges_get_t_LDADD = $(conform_ldadd)
%C%_edges_get_t_LDFLAGS = $(conform_ldflags)
%C%_edges_query_t_SOURCES = %D%/edges_query.c
%C%_edges_query_t_LDADD = $(conform_ldadd)
%C%_edges_query_t_LDFLAGS = $(conform_ldflags)
%C%_ends_t_SOURCES = %D%/ends.c
%C%_ends_t_LDADD = $(conform_ldadd)
%C%_ends_t_LDFLAGS = $(conform_ldflags)
%C%_event_chain_t_SOURCES = %D%/event_chain.c
%C%_event_chain_t_LDADD = $(conform_ldadd)
%C%_event_chain_t_LDFLAGS = $(conform_ldflags)
%C%_event_once_t_SOURCES = %D%/event_once.c
%C%_event_once_t_LDADD = $(conform_ldadd)
%C%_event_once_t_LDFLAGS = $(conform_ldflags)
%C%_event_ways_t_SOURCES = %D%/event_ways.c
%C%_event_ways_t_LDADD = $(conform_ldadd)
%C%_event_ways_t_LDFLAGS = $(conform_ldflags)
%C%_fence_t_SOURCES = %D%/fence.c
%C%_fence_t_LDADD = $(conform_ldadd)
%C%_fence_t_LDFLAGS = $(conform_ldflags)
%C%_fence_end_t_SOURCES = %D%/fence_end.c
%C%_fence_end_t_LDADD = $(conform_ldadd)
%C%_fence_end_t_LDFLAGS = $(conform_ldflags)
%C%_flags_t_SOURCES = %D%/flags.c
%C%_flags_t_LDADD = $(conform_ldadd)
%C%_flags_t_LDFLAGS = $(conform_ldflags)
%C%_foreign_t_SOURCES = %D%/foreign.c
%C%_foreign_t_LDADD = $(conform_ldadd)
%C%_foreign_t_LDFLAGS = $(conform_ldflags)
%C%_get_t_SOURCES = %D%/get.c
%C%_get_t_LDADD = $(conform_ldadd)
%C%_get_t_LDFLAGS = $(conform_ldflags)
%C%_get_all_t_SOURCES = %D%/get_all.c
%C%_get_all_t_LDADD = $(conform_ldadd)
%C%_get_all_t_LDFLAGS = $(conform_ldflags)
%C%_get_directives_t_SOURCES = %D%/get_directives.c
%C%_get_directives_t_LDADD = $(conform_ldadd)
%C%_get_directives_t_LDFLAGS = $(conform_ldflags)
%C%_group_t_SOURCES = %D%/group.c
%C%_group_t_LDADD = $(conform_ldadd)
%C%_group_t_LDFLAGS = $(conform_ldflags)
%C%_group_get_t_SOURCES = %D%/group_get.c
%C%_group_get_t_LDADD = $(conform_ldadd)
%C%_group_get_t_LDFLAGS = $(conform_ldflags)
%C%_group_faults_t_SOURCES = %D%/group_faults.c
%C%_group_faults_t_LDADD = $(conform_ldadd)
%C%_group_faults_t_LDFLAGS = $(conform_ldflags)
%C%_group_parts_t_SOURCES = %D%/group_parts.c
%C%_group_parts_t_LDADD = $(conform_ldadd)
%C%_group_parts_t_LDFLAGS = $(conform_ldflags)
%C%_group_decide_t_SOURCES = %D%/group_decide.c
%C%_group_decide_t_LDADD = $(conform_ldadd)
%C%_group_decide_t_LDFLAGS = $(conform_ldflags)
%C%_group_ids_t_SOURCES = %D%/group_ids.c
%C%_group_ids_t_LDADD = $(conform_ldadd)
%C%_group_ids_t_LDFLAGS = $(conform_ldflags)
%C%_group_leave_t_SOURCES = %D%/group_leave.c
%C%_group_leave_t_LDADD = $(conform_ldadd)
%C%_group_leave_t_LDFLAGS = $(conform_ldflags)
%C%_group_added_t_SOURCES = %D%/group_added.c
%C%_group_added_t_LDADD = $(conform_ldadd)
%C%_group_added_t_LDFLAGS = $(conform_ldflags)
%C%_group_given_t_SOURCES = %D%/group_given.c
%C%_group_given_t_LDADD = $(conform_ldadd)
%C%_group_given_t_LDFLAGS = $(conform_ldflags)
%C%_group_make_t_SOURCES = %D%/group_make.c
%C%_group_make_t_LDADD = $(conform_ldadd)
%C%_group_make_t_LDFLAGS = $(conform_ldflags)
%C%_group_time_t_SOURCES = %D%/group_time.c
%C%_group_time_t_LDADD = $(conform_ldadd)
%C%_group_time_t_LDFLAGS = $(conform_ldflags)
%C%_group_names_t_SOURCES = %D%/group_names.c
%C%_group_names_t_LDADD = $(conform_ldadd)
%C%_group_names_t_LDFLAGS = $(conform_ldflags)
%C%_growth_t_SOURCES = %D%/growth.c
%C%_growth_t_LDADD = $(conform_ldadd)
%C%_growth_t_LDFLAGS = $(conform_ldflags)
%C%_host_answers_t_SOURCES = %D%/host_answers.c
%C%_host_answers_t_LDADD = $(conform_ldadd)
%C%_host_answers_t_LDFLAGS = $(conform_ldflags)
%C%_harness_t_SOURCES = %D%/harness.c
%C%_harness_t_LDADD = $(conform_ldadd)
%C%_harness_t_LDFLAGS = $(conform_ldflags)
%C%_init_t_SOURCES = %D%/init.c
%C%_init_t_LDADD = $(conform_ldadd)
%C%_init_t_LDFLAGS = $(conform_ldflags)
%C%_input_t_SOURCES = %D%/input.c
%C%_input_t_LDADD = $(conform_ldadd)
%C%_input_t_LDFLAGS = $(conform_ldflags)
%C%_invite_t_SOURCES = %D%/invite.c
%C%_invite_t_LDADD = $(conform_ldadd)
%C%_invite_t_LDFLAGS = $(conform_ldflags)
%C%_invite_ends_t_SOURCES = %D%/invite_ends.c
%C%_invite_ends_t_LDADD = $(conform_ldadd)
%C%_invite_ends_t_LDFLAGS = $(conform_ldflags)
%C%_invite_leader_t_SOURCES = %D%/invite_leader.c
%C%_invite_leader_t_LDADD = $(conform_ldadd)
%C%_invite_leader_t_LDFLAGS = $(conform_ldflags)
%C%_invited_t_SOURCES = %D%/invited.c
%C%_invited_t_LDADD = $(conform_ldadd)
%C%_invited_t_LDFLAGS = $(conform_ldflags)
%C%_itself_t_SOURCES = %D%/itself.c
%C%_itself_t_LDADD = $(conform_ldadd)
%C%_itself_t_LDFLAGS = $(conform_ldflags)
%C%_job_t_SOURCES = %D%/job.c
%C%_job_t_LDADD = $(conform_ldadd)
%C%_job_t_LDFLAGS = $(conform_ldflags)
%C%_keys_t_SOURCES = %D%/keys.c
%C%_keys_t_LDADD = $(conform_ldadd)
%C%_keys_t_LDFLAGS = $(conform_ldflags)
%C%_launcher_t_SOURCES = %D%/launcher.c
%C%_launcher_t_LDADD = $(conform_ldadd)
%C%_launcher_t_LDFLAGS = $(conform_ldflags)
%C%_launcher_input_t_SOURCES = %D%/launcher_input.c
%C%_launcher_input_t_LDADD = $(conform_ldadd)
%C%_launcher_input_t_LDFLAGS = $(conform_ldflags)
%C%_launcher_relay_t_SOURCES = %D%/launcher_relay.c
%C%_launcher_relay_t_LDADD = $(conform_ldadd)
%C%_launcher_relay_t_LDFLAGS = $(conform_ldflags)
%C%_launcher_start_t_SOURCES = %D%/launcher_start.c
%C%_launcher_start_t_LDADD = $(conform_ldadd)
%C%_launcher_start_t_LDFLAGS = $(conform_ldflags)
%C%_members_t_SOURCES = %D%/members.c
%C%_members_t_LDADD = $(conform_ldadd)
%C%_members_t_LDFLAGS = $(conform_ldflags)
%C%_modex_t_SOURCES = %D%/modex.c
%C%_modex_t_LDADD = $(conform_ldadd)
%C%_modex_t_LDFLAGS = $(conform_ldflags)
%C%_monitor_t_SOURCES = %D%/monitor.c
%C%_monitor_t_LDADD = $(conform_ldadd)
%C%_monitor_t_LDFLAGS = $(conform_ldflags)
%C%_output_t_SOURCES = %D%/output.c
%C%_output_t_LDADD = $(conform_ldadd)
%C%_output_t_LDFLAGS = $(conform_ldflags)
%C%_output_files_t_SOURCES = %D%/output_files.c
%C%_output_files_t_LDADD = $(conform_ldadd)
%C%_output_files_t_LDFLAGS = $(conform_ldflags)
%C%_params_t_SOURCES = %D%/params.c
%C%_params_t_LDADD = $(conform_ldadd)
%C%_params_t_LDFLAGS = $(conform_ldflags)
%C%_put_t_SOURCES = %D%/put.c
%C%_put_t_LDADD = $(conform_ldadd)
%C%_put_t_LDFLAGS = $(conform_ldflags)
%C%_put_types_t_SOURCES = %D%/put_types.c
%C%_put_types_t_LDADD = $(conform_ldadd)
%C%_put_types_t_LDFLAGS = $(conform_ldflags)
%C%_query_t_SOURCES = %D%/query.c
%C%_query_t_LDADD = $(conform_ldadd)
%C%_query_t_LDFLAGS = $(conform_ldflags)
%C%_query_local_t_SOURCES = %D%/query_local.c
%C%_query_local_t_LDADD = $(conform_ldadd)
%C%_query_local_t_LDFLAGS = $(conform_ldflags)
%C%_random_t_SOURCES = %D%/random.c
%C%_random_t_LDADD = $(conform_ldadd)
%C%_random_t_LDFLAGS = $(conform_ldflags)
%C%_resolve_t_SOURCES = %D%/resolve.c
%C%_resolve_t_LDADD = $(conform_ldadd)
%C%_resolve_t_LDFLAGS = $(conform_ldflags)
%C%_resolve_build_t_SOURCES = %D%/resolve_build.c
%C%_resolve_build_t_LDADD = $(conform_ldadd)
%C%_resolve_build_t_LDFLAGS = $(conform_ldflags)
%C%_resolve_layers_t_SOURCES = %D%/resolve_layers.c
%C%_resolve_layers_t_LDADD = $(conform_ldadd)
%C%_resolve_layers_t_LDFLAGS = $(conform_ldflags)
%C%_returned_t_SOURCES = %D%/returned.c
%C%_returned_t_LDADD = $(conform_ldadd)
%C%_returned_t_LDFLAGS = $(conform_ldflags)
%C%_server_t_SOURCES = %D%/server.c
%C%_server_t_LDADD = $(conform_ldadd)
%C%_server_t_LDFLAGS = $(conform_ldflags)
%C%_session_t_SOURCES = %D%/session.c
%C%_session_t_LDADD = $(conform_ldadd)
%C%_session_t_LDFLAGS = $(conform_ldflags)
%C%_setup_t_SOURCES = %D%/setup.c
%C%_setup_t_LDADD = $(conform_ldadd)
%C%_setup_t_LDFLAGS = $(conform_ldflags)
%C%_support_t_SOURCES = %D%/support.c
%C%_support_t_LDADD = $(conform_ldadd)
%C%_support_t_LDFLAGS = $(conform_ldflags)
%C%_tool_t_SOURCES = %D%/tool.c
%C%_tool_t_LDADD = $(conform_ldadd)
%C%_tool_t_LDFLAGS = $(conform_ldflags)
%C%_tool_files_t_SOURCES = %D%/tool_files.c
%C%_tool_files_t_LDADD = $(conform_ldadd)
%C%_tool_files_t_LDFLAGS = $(conform_ldflags)
%C%_tool_posts_t_SOURCES = %D%/tool_posts.c
%C%_tool_posts_t_LDADD = $(conform_ldadd)
%C%_tool_posts_t_LDFLAGS = $(conform_ldflags)
%C%_tool_life_t_SOURCES = %D%/tool_life.c
%C%_tool_life_t_LDADD = $(conform_ldadd)
%C%_tool_life_t_LDFLAGS = $(conform_ldflags)
%C%_tool_search_t_SOURCES = %D%/tool_search.c
%C%_tool_search_t_LDADD = $(conform_ldadd)
%C%_tool_search_t_LDFLAGS = $(conform_ldflags)
%C%_tool_attach_t_SOURCES = %D%/tool_attach.c
%C%_tool_attach_t_LDADD = $(conform_ldadd)
%C%_tool_attach_t_LDFLAGS = $(conform_ldflags)
%C%_tool_requests_t_SOURCES = %D%/tool_requests.c
%C%_tool_requests_t_LDADD = $(conform_ldadd)
%C%_tool_requests_t_LDFLAGS = $(conform_ldflags)
%C%_tool_unwelcome_t_SOURCES = %D%/tool_unwelcome.c
%C%_tool_unwelcome_t_LDADD = $(conform_ldadd)
%C%_tool_unwelcome_t_LDFLAGS = $(conform_ldflags)
%C%_forwarding_t_SOURCES = %D%/forwarding.c
%C%_forwarding_t_LDADD = $(conform_ldadd)
%C%_forwarding_t_LDFLAGS = $(conform_ldflags)
%C%_tool_debug_t_SOURCES = %D%/tool_debug.c
%C%_tool_debug_t_LDADD = $(conform_ldadd)
%C%_tool_debug_t_LDFLAGS = $(conform_ldflags)
%C%_proc_sets_t_SOURCES = %D%/proc_sets.c
%C%_proc_sets_t_LDADD = $(conform_ldadd)
%C%_proc_sets_t_LDFLAGS = $(conform_ldflags)
%C%_publish_t_SOURCES = %D%/publish.c
%C%_publish_t_LDADD = $(conform_ldadd)
%C%_publish_t_LDFLAGS = $(conform_ldflags)
%C%_topology_t_SOURCES = %D%/topology.c
%C%_topology_t_LDADD = $(conform_ldadd)
%C%_topology_t_LDFLAGS = $(conform_ldflags)
%C%_tool_reads_t_SOURCES = %D%/tool_reads.c
%C%_tool_reads_t_LDADD = $(conform_ldadd)
%C%_tool_reads_t_LDFLAGS = $(conform_ldflags)
%C%_tool_servers_t_SOURCES = %D%/tool_servers.c
%C%_tool_servers_t_LDADD = $(conform_ldadd)
%C%_tool_servers_t_LDFLAGS = $(conform_ldflags)
%C%_upcall_data_t_SOURCES = %D%/upcall_data.c
%C%_upcall_data_t_LDADD = $(conform_ldadd)
%C%_upcall_data_t_LDFLAGS = $(conform_ldflags)
%C%_upcalls_t_SOURCES = %D%/upcalls.c
%C%_upcalls_t_LDADD = $(conform_ldadd)
%C%_upcalls_t_LDFLAGS = $(conform_ldflags)
EXTRA_DIST += tables/requirements.tsv %D%/README.md %D%/results \
  %D%/suite/build.mk.in %D%/suite/configure %D%/suite/pmix-conform.in %D%/suite/report.awk

# The suite by itself, against the libraries that docs/conformance.md compares; CONFORM="fence get" runs only these,
# AGAINST="6.1=/opt/openpmix-6.1 ..." with these libraries too, JOBS=40 so many parts of programs in turns.
.PHONY: conformance dist-conform install-conform
conformance: libpmix.la
	PX_TOP_SRCDIR='$(abs_top_srcdir)' PX_TOP_BUILDDIR='$(abs_top_builddir)' CC='$(CC)' VERSION='$(PACKAGE_VERSION)' \
	  AGAINST='$(AGAINST)' LIBRARIES='$(LIBRARIES)' JOBS='$(JOBS)' $(SHELL) $(top_srcdir)/scripts/run-conformance $(CONFORM)

conform_to =
conform_dist = pmix-conform-$(PACKAGE_VERSION)
dist-conform:
	$(SHELL) $(top_srcdir)/scripts/pack-conform $(PACKAGE_VERSION) $(conform_to)$(conform_dist)
	cd "$(conform_to)." && tar -cf - $(conform_dist) | gzip -9 >$(conform_dist).tar.gz
	rm -rf $(conform_to)$(conform_dist)

# For the library of PMIX_PREFIX, else for ours.
install-conform: libpmix.la
	rm -rf conform-suite && mkdir conform-suite
	$(SHELL) $(top_srcdir)/scripts/pack-conform $(PACKAGE_VERSION) conform-suite/source
	cd conform-suite && if test -n '$(PMIX_PREFIX)'; then \
	    $(SHELL) source/configure --prefix='$(prefix)' CC='$(CC)' --with-pmix='$(PMIX_PREFIX)'; \
	  else \
	    LD_LIBRARY_PATH='$(abs_top_builddir)/.libs' $(SHELL) source/configure --prefix='$(prefix)' CC='$(CC)' \
	      PMIX_CFLAGS='-I$(abs_top_srcdir)/include -I$(abs_top_builddir)/include' \
	      PMIX_LIBS='-L$(abs_top_builddir)/.libs -Wl,-rpath,$(libdir) -lpmix'; \
	  fi && $(MAKE) && $(MAKE) install
	rm -rf conform-suite
px_long_tests += %D%/input.t
