noinst_LTLIBRARIES += libpx-client.la
libpx_client_la_SOURCES = %D%/data/all.c %D%/data/all.h %D%/data/collected.c %D%/data/collected.h %D%/data/deletion.c %D%/data/deletion.h %D%/events.c %D%/events.h \
  %D%/data/facts.c %D%/data/facts.h %D%/tool/former.c %D%/tool/former.h %D%/data/get.c %D%/data/get.h %D%/data/get_fast.c %D%/data/get_fast.h %D%/data/get_fetch.c %D%/data/get_fetch.h \
  %D%/data/get_request.c %D%/data/get_request.h %D%/data/get_words.c %D%/data/get_words.h %D%/group.c %D%/group.h %D%/group_decide.c %D%/group_decide.h %D%/group_map.c %D%/group_map.h %D%/handler_sources.c %D%/handler_sources.h %D%/invitation.c \
  %D%/invitation.h %D%/invite.c %D%/invite.h %D%/invite_outcome.c %D%/invite_outcome.h %D%/invited.c %D%/invited.h %D%/invitees.c %D%/invitees.h %D%/iof.c %D%/iof.h %D%/join.c %D%/join.h %D%/data/lacking.c %D%/data/lacking.h %D%/member_data.c %D%/member_data.h %D%/ops.c %D%/ops.h %D%/tool/primary.c %D%/tool/primary.h %D%/data/private_store.c \
  %D%/data/private_store.h %D%/data/put.c %D%/data/put.h %D%/query.c %D%/query.h %D%/query_cache.c %D%/query_cache.h \
  %D%/query_results.c %D%/query_results.h %D%/data/refresh.c %D%/data/refresh.h %D%/request.c %D%/request.h %D%/resolve.c \
  %D%/resolve.h %D%/session.c %D%/session.h %D%/singleton.c %D%/singleton.h %D%/data/space.c %D%/data/space.h %D%/data/uncommitted.c %D%/data/uncommitted.h %D%/start.c \
  %D%/start.h %D%/succession.c %D%/succession.h %D%/sync.c %D%/sync.h %D%/tool/tool.c %D%/tool/tool.h %D%/tool/tool_wait.c %D%/tool/tool_wait.h %D%/votes.c %D%/votes.h
