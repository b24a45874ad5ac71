noinst_LTLIBRARIES += libpx-gds.la
libpx_gds_la_SOURCES = %D%/batch.c %D%/batch.h %D%/column_writer.c %D%/garbage.c %D%/dict.c %D%/dict.h %D%/fast_path.c %D%/fast_path.h \
  %D%/compact.c %D%/compact.h %D%/segment_file.c %D%/segment_file.h \
  %D%/lookup.c %D%/lookup.h %D%/memo.c %D%/memo.h %D%/generation.c %D%/nodes.c %D%/payload.c %D%/payload.h %D%/placement.c %D%/proc_values.c %D%/publication.c \
  %D%/read.c %D%/read.h %D%/realm.def %D%/thread_cache.c %D%/thread_cache.h %D%/record_writer.c %D%/slice.c %D%/writer.h %D%/state.h %D%/store.c %D%/store.h
