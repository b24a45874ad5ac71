noinst_LTLIBRARIES += libpx-server.la
libpx_server_la_SOURCES =
libpx_server_la_SOURCES += %D%/configure.c %D%/configure.h %D%/server_start.c \
  %D%/server_start.h %D%/setup.c %D%/setup.h %D%/stages.c %D%/stages.h %D%/state.h
libpx_server_la_SOURCES += %D%/peers/access.c %D%/peers/access.h %D%/peers/dispatch.c %D%/peers/dispatch.h %D%/peers/step.h %D%/peers/inherited.c %D%/peers/inherited.h %D%/peers/job_request.c %D%/peers/job_request.h \
  %D%/peers/peer.c %D%/peers/peer.h %D%/peers/peer_words.c %D%/peers/peer_words.h %D%/peers/quota.c %D%/peers/quota.h %D%/peers/segment_offer.c %D%/peers/segment_offer.h
libpx_server_la_SOURCES += %D%/data/answer.c %D%/data/answer.h %D%/data/answer_values.c %D%/data/answer_values.h %D%/data/collected.c %D%/data/collected.h %D%/data/commit.c %D%/data/commit.h %D%/data/commit_items.c %D%/data/commit_items.h %D%/data/compaction.c %D%/data/compaction.h %D%/data/deletion.c %D%/data/deletion.h %D%/data/gathering.c %D%/data/gathering.h %D%/data/get.h %D%/data/get_answer.c %D%/data/get_answer.h \
  %D%/data/get_request.c %D%/data/get_request.h %D%/data/inventory.c %D%/data/inventory.h %D%/data/large_answer.c %D%/data/large_answer.h %D%/data/modex.c %D%/data/modex.h %D%/data/modex_giving.c %D%/data/modex_giving.h %D%/data/waiting_gets.c %D%/data/waiting_gets.h %D%/data/expected.c %D%/data/expected.h %D%/data/nspace.c %D%/data/nspace.h \
  %D%/data/posted.c %D%/data/posted.h %D%/data/posted_values.c %D%/data/posted_values.h \
  %D%/data/register.c %D%/data/register.h %D%/data/server_get.c %D%/data/server_get.h
libpx_server_la_SOURCES += %D%/collectives/collective.c %D%/collectives/collective.h %D%/collectives/connect.c \
  %D%/collectives/connect.h %D%/collectives/fence.c %D%/collectives/fence.h %D%/collectives/group_bootstrap.c \
  %D%/collectives/group_bootstrap.h %D%/collectives/group_data.c %D%/collectives/group_data.h \
  %D%/collectives/group_decision.c %D%/collectives/group_decision.h %D%/collectives/group_destruct.c \
  %D%/collectives/group_losses.c %D%/collectives/group_losses.h \
  %D%/collectives/group_infos.c %D%/collectives/group_infos.h \
  %D%/collectives/group_leave.c %D%/collectives/group_leave.h %D%/collectives/invited_group.c \
  %D%/collectives/group_reply.c %D%/collectives/group_reply.h \
  %D%/collectives/group_names.c %D%/collectives/group_names.h %D%/collectives/invited_group.h \
  %D%/collectives/high_water.c %D%/collectives/high_water.h %D%/collectives/modex_blob.c \
  %D%/collectives/modex_blob.h %D%/collectives/modex_delta.c %D%/collectives/modex_delta.h %D%/collectives/modex_exchange.c %D%/collectives/modex_exchange.h \
  %D%/collectives/modex_log.c %D%/collectives/modex_log.h %D%/collectives/open_waits.c %D%/collectives/open_waits.h %D%/collectives/pset.c %D%/collectives/pset.h \
  %D%/collectives/server_group.c %D%/collectives/server_group.h %D%/collectives/server_keys.c %D%/collectives/server_keys.h %D%/collectives/tracker.c %D%/collectives/tracker.h \
  %D%/collectives/colls.c %D%/collectives/colls.h %D%/collectives/all_collectives.c %D%/collectives/all_collectives.h
libpx_server_la_SOURCES += %D%/requests/host_module.c \
  %D%/requests/host_module.h %D%/requests/host_upcall.c %D%/requests/host_upcall.h %D%/requests/query_local.c \
  %D%/requests/query_local.h %D%/requests/query_sets.c %D%/requests/query_sets.h %D%/requests/requests.c %D%/requests/requests.h %D%/requests/server_query.c \
  %D%/requests/server_query.h %D%/requests/server_resolve.c %D%/requests/server_resolve.h
libpx_server_la_SOURCES += %D%/events/monitor.c %D%/events/monitor.h %D%/events/server_input.c %D%/events/server_input.h \
  %D%/events/audience.c %D%/events/audience.h %D%/events/kept_ends.c %D%/events/kept_ends.h %D%/events/kept_events.c %D%/events/kept_events.h %D%/events/output_cache.c %D%/events/output_cache.h %D%/events/passed_events.c \
  %D%/events/passed_events.h %D%/events/registrations.c %D%/events/registrations.h %D%/events/server_events.c \
  %D%/events/server_events.h %D%/events/server_iof.c %D%/events/server_iof.h %D%/events/termination.c \
  %D%/events/termination.h
libpx_server_la_SOURCES += %D%/tools/rendezvous.c %D%/tools/rendezvous.h %D%/tools/server_tool.c \
  %D%/tools/server_tool.h %D%/tools/tool_data.c %D%/tools/tool_data.h
libpx_server_la_SOURCES += %D%/launch/local_host.c %D%/launch/local_host.h %D%/launch/local_info.c %D%/launch/local_info.h \
  %D%/launch/local_end.c %D%/launch/local_end.h %D%/launch/local_input.c %D%/launch/local_input.h %D%/launch/local_manner.c %D%/launch/local_manner.h \
  %D%/launch/local_job.c %D%/launch/local_job.h %D%/launch/local_process.c %D%/launch/local_process.h \
  %D%/launch/local_stopped.c %D%/launch/local_stopped.h
libpx_server_la_SOURCES += %D%/self/loop_call.c %D%/self/loop_call.h %D%/self/self.c %D%/self/self.h \
  %D%/self/self_data.c %D%/self/self_data.h %D%/self/self_events.c %D%/self/self_events.h %D%/self/self_ops.c \
  %D%/self/self_ops.h %D%/self/stored.c %D%/self/stored.h
