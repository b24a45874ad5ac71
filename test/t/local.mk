# Scripts over the programs that are installed or shown: pmixrun, pmix_info, examples, quickstart.
check_PROGRAMS += %D%/invited %D%/across %D%/actor %D%/agree %D%/attend %D%/many_threads %D%/groups %D%/group_asked %D%/group_chaos %D%/group_rounds %D%/leave %D%/life %D%/moves %D%/no_memfd %D%/refused %D%/other_user %D%/bad_job %D%/many_clients %D%/roles %D%/throng %D%/tool_lost %D%/field_job %D%/logs
test_t_across_SOURCES = %D%/across.c %D%/across_calls.c %D%/across_jobs.c %D%/across_over.c %D%/across.h
test_t_across_LDADD = libpmix.la
test_t_across_LDFLAGS = $(AM_LDFLAGS) -no-install
test_t_actor_SOURCES = %D%/actor.c
test_t_actor_LDADD = libpmix.la
test_t_actor_LDFLAGS = $(AM_LDFLAGS) -no-install
test_t_agree_SOURCES = %D%/agree.c
test_t_agree_LDADD = libpmix.la
test_t_agree_LDFLAGS = $(AM_LDFLAGS) -no-install
test_t_attend_SOURCES = %D%/attend.c %D%/attend_io.c %D%/attend_spawn.c %D%/attend.h
test_t_attend_LDADD = libpmix.la
test_t_attend_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread
test_t_leave_SOURCES = %D%/leave.c
test_t_leave_LDADD = libpmix.la
test_t_leave_LDFLAGS = $(AM_LDFLAGS) -no-install
test_t_many_threads_SOURCES = %D%/many_threads.c
test_t_many_threads_LDADD = libpmix.la
test_t_many_threads_LDFLAGS = $(AM_LDFLAGS) -no-install

test_t_group_chaos_SOURCES = %D%/group_chaos.c
test_t_group_chaos_LDADD = libpmix.la
test_t_group_chaos_LDFLAGS = $(AM_LDFLAGS) -no-install
test_t_group_rounds_SOURCES = %D%/group_rounds.c
test_t_group_rounds_LDADD = libpmix.la
test_t_group_rounds_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread

check_PROGRAMS += %D%/hang
test_t_hang_SOURCES = %D%/hang.c
test_t_hang_LDADD = libpmix.la
test_t_hang_LDFLAGS = $(AM_LDFLAGS) -no-install

test_t_invited_SOURCES = %D%/invited.c
test_t_invited_LDADD = libpmix.la
test_t_invited_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread

test_t_group_asked_SOURCES = %D%/group_asked.c
test_t_group_asked_LDADD = libpmix.la
test_t_group_asked_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread
test_t_groups_SOURCES = %D%/groups.c
test_t_groups_LDADD = libpmix.la
test_t_groups_LDFLAGS = $(AM_LDFLAGS) -no-install

test_t_moves_SOURCES = %D%/moves.c
test_t_moves_LDADD = libpmix.la
test_t_moves_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread

test_t_life_SOURCES = %D%/life.c
test_t_life_LDADD = libpmix.la
test_t_life_LDFLAGS = $(AM_LDFLAGS) -no-install

test_t_no_memfd_SOURCES = %D%/no_memfd.c

test_t_refused_SOURCES = %D%/refused.c
test_t_refused_LDADD = libpmix.la
test_t_refused_LDFLAGS = $(AM_LDFLAGS) -no-install

test_t_other_user_SOURCES = %D%/other_user.c
test_t_other_user_LDADD = libpmix.la
test_t_other_user_LDFLAGS = $(AM_LDFLAGS) -no-install

test_t_many_clients_SOURCES = %D%/many_clients.c
test_t_many_clients_LDADD = libpmix.la
test_t_many_clients_LDFLAGS = $(AM_LDFLAGS) -no-install

test_t_bad_job_SOURCES = %D%/bad_job.c
test_t_bad_job_LDADD = libpmix.la
test_t_bad_job_LDFLAGS = $(AM_LDFLAGS) -no-install
test_t_roles_SOURCES = %D%/roles.c
test_t_roles_LDADD = libpmix.la
test_t_roles_LDFLAGS = $(AM_LDFLAGS) -no-install
test_t_throng_SOURCES = %D%/throng.c
test_t_throng_LDADD = libpmix.la
test_t_throng_LDFLAGS = $(AM_LDFLAGS) -no-install

test_t_tool_lost_SOURCES = %D%/tool_lost.c
test_t_tool_lost_LDADD = libpx-host.la libpmix.la
test_t_tool_lost_LDFLAGS = $(AM_LDFLAGS) -no-install

test_t_logs_SOURCES = %D%/logs.c
test_t_logs_LDADD = libpmix.la
test_t_logs_LDFLAGS = $(AM_LDFLAGS) -no-install

test_t_field_job_SOURCES = %D%/field_job.c
test_t_field_job_LDADD = libpmix.la
test_t_field_job_LDFLAGS = $(AM_LDFLAGS) -no-install

check_PROGRAMS += %D%/generations
test_t_generations_SOURCES = %D%/generations.c
test_t_generations_LDADD = libpx-gds.la libpx-wire.la libpx-value.la libpx-shmem.la libpx-base.la

px_script_tests = %D%/examples.sh %D%/install.sh %D%/life.sh %D%/moves.sh %D%/pmix_info.sh %D%/pmix_shm.sh %D%/quickstart.sh %D%/run_agree.sh %D%/run_apps.sh %D%/run_codes.sh %D%/run_conform.sh %D%/run_many_threads.sh %D%/run_fallbacks.sh \
  %D%/run_group_faults.sh %D%/run_groups.sh %D%/run_host.sh %D%/run_large.sh %D%/run_nodes.sh %D%/run_output.sh %D%/run_script.sh %D%/run_signals.sh %D%/run_spawn.sh %D%/run_tools.sh %D%/segment_params.sh %D%/set_uid.sh %D%/other_user.sh %D%/many_clients.sh %D%/tool_lost.sh
px_script_tests += %D%/field_attrs.sh %D%/field_control.sh %D%/field_names.sh %D%/field_query.sh
px_script_tests += %D%/completion.sh %D%/tutorial.sh %D%/site.sh %D%/tools_page.sh %D%/packages.sh %D%/oss_fuzz.sh
px_script_tests += %D%/roles.sh %D%/throng.sh %D%/verbosity.sh
px_script_tests += %D%/doctor.sh %D%/shm_waits.sh %D%/run_trace.sh %D%/probes.sh %D%/shm_top.sh %D%/json_names.sh
px_script_tests += %D%/builds.sh %D%/configure.sh
dist_check_SCRIPTS += $(px_script_tests)
TESTS += $(px_script_tests)
px_long_tests += %D%/builds.sh %D%/packages.sh %D%/oss_fuzz.sh %D%/run_agree.sh %D%/run_group_faults.sh %D%/run_many_threads.sh %D%/run_large.sh %D%/run_tools.sh %D%/many_clients.sh %D%/roles.sh %D%/throng.sh
EXTRA_DIST += %D%/run.sh %D%/json_names.py %D%/trace.py %D%/top.py %D%/terminal.py quickstart
