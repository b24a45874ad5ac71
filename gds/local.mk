noinst_LTLIBRARIES += libpx-gds.la
libpx_gds_la_SOURCES = %D%/batch.c %D%/batch.h %D%/column.c %D%/dead.c %D%/dict.c %D%/dict.h %D%/glance.c %D%/glance.h \
  %D%/live.c %D%/live.h %D%/load.c %D%/load.h \
  %D%/lookup.c %D%/lookup.h %D%/memo.c %D%/memo.h %D%/move.c %D%/nodes.c %D%/payload.c %D%/payload.h %D%/place.c %D%/procs.c %D%/publish.c \
  %D%/read.c %D%/read.h %D%/realm.def %D%/recall.c %D%/recall.h %D%/record.c %D%/slice.c %D%/stage.h %D%/state.h %D%/store.c %D%/store.h
