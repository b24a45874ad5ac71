noinst_LTLIBRARIES += libpx-client.la
libpx_client_la_SOURCES = %D%/all.c %D%/ask.c %D%/cache.c %D%/cache.h %D%/call.c %D%/call.h %D%/client.h %D%/control.c %D%/data.c \
  %D%/events.c %D%/events.h %D%/facts.c %D%/fetch.c %D%/foreign.c %D%/get.c %D%/get.h %D%/glance.c %D%/glance.h %D%/group.c %D%/group.h %D%/invite.c %D%/iof.c %D%/iof.h \
  %D%/later.c %D%/later.h %D%/members.c %D%/moved.c %D%/ops.c %D%/ops.h %D%/party.c %D%/party.h %D%/publish.c %D%/put.c %D%/query.c %D%/session.c %D%/session.h %D%/start.c \
  %D%/sync.c %D%/want.c %D%/want.h
