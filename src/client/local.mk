noinst_LTLIBRARIES += libpx-client.la
libpx_client_la_SOURCES = %D%/all.c %D%/resolve.c %D%/query_cache.c %D%/query_cache.h %D%/request.c %D%/request.h %D%/client.h %D%/control.c %D%/private_store.c \
  %D%/events.c %D%/events.h %D%/facts.c %D%/get_nb.c %D%/other_nspace.c %D%/get.c %D%/get.h %D%/get_fast.c %D%/get_fast.h %D%/group.c %D%/group.h %D%/invite.c %D%/iof.c %D%/iof.h \
  %D%/deferred.c %D%/deferred.h %D%/group_map.c %D%/refresh.c %D%/ops.c %D%/ops.h %D%/invitation.c %D%/invitation.h %D%/publish.c %D%/put.c %D%/query.c %D%/session.c %D%/session.h %D%/start.c \
  %D%/sync.c %D%/get_request.c %D%/get_request.h
