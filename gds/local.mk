noinst_LTLIBRARIES += libpx-gds.la
libpx_gds_la_SOURCES = %D%/batch.c %D%/batch.h %D%/column_writer.c %D%/column_writer.h %D%/compact.c %D%/compact.h %D%/compare.c %D%/compare.h %D%/copy.c %D%/copy.h \
  %D%/dict.c %D%/dict.h %D%/fast_path.h %D%/format.h %D%/garbage.c %D%/garbage.h %D%/generation.c %D%/generation.h \
  %D%/get_directives.h %D%/key_table.c %D%/key_table.h %D%/kval_reader.c %D%/kval_reader.h %D%/level.c %D%/level.h \
  %D%/lookup.c %D%/lookup.h %D%/memo.c %D%/memo.h %D%/nodes.c %D%/nodes.h %D%/partial.c %D%/partial.h %D%/payload.c %D%/payload.h \
  %D%/placement.c %D%/placement.h %D%/proc_values.c %D%/proc_values.h %D%/publication.c %D%/publication.h %D%/read.c \
  %D%/read.h %D%/realm.def %D%/record_writer.c %D%/record_writer.h %D%/segment_file.c %D%/segment_file.h %D%/slice.c \
  %D%/slice.h %D%/state.h %D%/store.c %D%/store.h %D%/thread_cache.h %D%/verify.c %D%/verify.h \
  %D%/writer.h
