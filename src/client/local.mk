noinst_LTLIBRARIES += libpx-client.la
libpx_client_la_SOURCES = %D%/all.c %D%/all.h %D%/collected.c %D%/collected.h %D%/deletion.c %D%/deletion.h %D%/events.c %D%/events.h \
  %D%/facts.c %D%/facts.h %D%/former.c %D%/former.h %D%/get.c %D%/get.h %D%/get_fast.c %D%/get_fast.h %D%/get_fetch.c %D%/get_fetch.h \
  %D%/get_request.c %D%/get_request.h %D%/group.c %D%/group.h %D%/group_decide.c %D%/group_decide.h %D%/group_map.c %D%/group_map.h %D%/invitation.c \
  %D%/invitation.h %D%/invite.c %D%/invite.h %D%/invite_outcome.c %D%/invite_outcome.h %D%/invited.c %D%/invited.h %D%/invitees.c %D%/invitees.h %D%/iof.c %D%/iof.h %D%/join.c %D%/join.h %D%/member_data.c %D%/member_data.h %D%/ops.c %D%/ops.h %D%/primary.c %D%/primary.h %D%/private_store.c \
  %D%/private_store.h %D%/put.c %D%/put.h %D%/query.c %D%/query.h %D%/query_cache.c %D%/query_cache.h \
  %D%/query_results.c %D%/query_results.h %D%/refresh.c %D%/refresh.h %D%/request.c %D%/request.h %D%/resolve.c \
  %D%/resolve.h %D%/session.c %D%/session.h %D%/singleton.c %D%/singleton.h %D%/space.c %D%/space.h %D%/start.c \
  %D%/start.h %D%/succession.c %D%/succession.h %D%/sync.c %D%/sync.h %D%/tool.c %D%/tool.h %D%/tool_wait.c %D%/tool_wait.h %D%/votes.c %D%/votes.h
