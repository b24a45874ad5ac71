noinst_LTLIBRARIES += libpx-server.la
libpx_server_la_SOURCES = %D%/answer.c %D%/call.c %D%/call.h %D%/collective.c %D%/configure.c %D%/collective.h \
  %D%/commit.c %D%/connect.c %D%/dispatch.c %D%/ended.c %D%/events.c %D%/events.h %D%/exchange.c %D%/exchange.h %D%/fence.c %D%/get.c \
  %D%/get.h %D%/group.c %D%/group.h %D%/group_data.c %D%/group_record.c %D%/host.c %D%/host.h %D%/inventory.c %D%/inventory.h %D%/iof.c %D%/iof.h \
  %D%/job.c %D%/known.c %D%/modex.c %D%/modex.h %D%/module.c %D%/module.h %D%/nspace.c %D%/offer.c %D%/outbox.c %D%/outbox.h %D%/output.c %D%/own.c \
  %D%/own.h %D%/peer.c %D%/priv.h %D%/pset.c %D%/pset.h %D%/publish.c %D%/query.c %D%/query.h \
  %D%/register.c %D%/rendezvous.c %D%/rendezvous.h %D%/requests.c %D%/requests.h %D%/resolve.c \
  %D%/role.c %D%/role.h %D%/role_data.c %D%/role_events.c %D%/self.c %D%/self.h %D%/server.h %D%/setup.c %D%/spawn.c \
  %D%/start.c %D%/start.h %D%/tool.c %D%/tool.h
