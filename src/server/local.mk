noinst_LTLIBRARIES += libpx-server.la
libpx_server_la_SOURCES = %D%/get_answer.c %D%/loop_call.c %D%/loop_call.h %D%/collective.c %D%/configure.c %D%/collective.h \
  %D%/commit.c %D%/connect.c %D%/dispatch.c %D%/termination.c %D%/server_events.c %D%/server_events.h %D%/modex_exchange.c %D%/modex_exchange.h %D%/fence.c %D%/server_get.c \
  %D%/server_get.h %D%/server_group.c %D%/server_group.h %D%/group_data.c %D%/group_registry.c %D%/host_upcall.c %D%/host_upcall.h %D%/inventory.c %D%/inventory.h %D%/server_iof.c %D%/server_iof.h \
  %D%/job_request.c %D%/query_local.c %D%/modex.c %D%/modex.h %D%/host_module.c %D%/host_module.h %D%/nspace.c %D%/segment_offer.c %D%/modex_log.c %D%/modex_log.h %D%/output_cache.c %D%/self_call.c \
  %D%/self_call.h %D%/peer.c %D%/priv.h %D%/pset.c %D%/pset.h %D%/server_publish.c %D%/server_query.c %D%/server_query.h \
  %D%/register.c %D%/rendezvous.c %D%/rendezvous.h %D%/requests.c %D%/requests.h %D%/server_resolve.c \
  %D%/self_ops.c %D%/self_ops.h %D%/self_data.c %D%/self_events.c %D%/self.c %D%/self.h %D%/server.h %D%/setup.c %D%/spawn.c \
  %D%/server_start.c %D%/server_start.h %D%/server_tool.c %D%/server_tool.h
