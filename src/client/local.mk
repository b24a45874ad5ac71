noinst_LTLIBRARIES += libpx-client.la
libpx_client_la_SOURCES = %D%/all.c %D%/client.h %D%/control.c %D%/deferred.c %D%/deferred.h %D%/events.c \
  %D%/events.h %D%/facts.c %D%/get.c %D%/get.h %D%/get_fast.c %D%/get_fast.h %D%/get_fetch.c %D%/get_fetch.h %D%/get_request.c \
  %D%/get_request.h %D%/group.c %D%/group.h %D%/group_map.c %D%/invitation.c %D%/invitation.h %D%/invite.c %D%/iof.c \
  %D%/iof.h %D%/ops.c %D%/ops.h %D%/other_nspace.c %D%/private_store.c %D%/publish.c %D%/put.c %D%/query.c \
  %D%/query_cache.c %D%/query_cache.h %D%/query_results.c %D%/query_results.h %D%/refresh.c %D%/request.c \
  %D%/request.h %D%/resolve.c %D%/session.c %D%/session.h %D%/start.c %D%/sync.c %D%/tool.c %D%/tool.h
