# Every program with the support of this folder; the linker puts failing allocators in between.
gds_wrap_alloc = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
gds_unit_libs = libpx-gds.la libpx-wire.la libpx-value.la libpx-shmem.la libpx-base.la \
  $(ZLIB_LIBS) $(CMOCKA_LIBS)
gds_unit_tests = %D%/batch.t %D%/column_writer.t %D%/corrupt.t %D%/crash.t %D%/fast_path.t %D%/golden.t %D%/segment_file.t %D%/lookup.t %D%/memo.t \
  %D%/model.t %D%/generation.t %D%/nodes.t %D%/publication.t %D%/race.t %D%/read.t %D%/thread_cache.t %D%/slice.t %D%/store.t
check_PROGRAMS += $(gds_unit_tests)
TESTS += $(gds_unit_tests)
px_long_tests += %D%/corrupt.t %D%/model.t
%C%_batch_t_SOURCES = %D%/batch.c %D%/support.c %D%/support.h
%C%_batch_t_LDADD = $(gds_unit_libs)
%C%_batch_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
%C%_column_writer_t_SOURCES = %D%/column_writer.c %D%/support.c %D%/support.h
%C%_column_writer_t_LDADD = $(gds_unit_libs)
%C%_column_writer_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
%C%_corrupt_t_SOURCES = %D%/corrupt.c %D%/support.c %D%/support.h
%C%_corrupt_t_LDADD = $(gds_unit_libs)
%C%_corrupt_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
%C%_fast_path_t_SOURCES = %D%/fast_path.c %D%/support.c %D%/support.h
%C%_fast_path_t_LDADD = $(gds_unit_libs)
%C%_fast_path_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
%C%_segment_file_t_SOURCES = %D%/segment_file.c %D%/support.c %D%/support.h
%C%_segment_file_t_LDADD = $(gds_unit_libs)
%C%_segment_file_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
%C%_lookup_t_SOURCES = %D%/lookup.c %D%/support.c %D%/support.h
%C%_lookup_t_LDADD = $(gds_unit_libs)
%C%_lookup_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
%C%_memo_t_SOURCES = %D%/memo.c %D%/support.c %D%/support.h
%C%_memo_t_LDADD = $(gds_unit_libs)
%C%_memo_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
%C%_model_t_SOURCES = %D%/model.c %D%/support.c %D%/support.h
%C%_model_t_LDADD = $(gds_unit_libs)
%C%_model_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
%C%_generation_t_SOURCES = %D%/generation.c %D%/support.c %D%/support.h
%C%_generation_t_LDADD = $(gds_unit_libs)
%C%_generation_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
%C%_nodes_t_SOURCES = %D%/nodes.c %D%/support.c %D%/support.h
%C%_nodes_t_LDADD = $(gds_unit_libs)
%C%_nodes_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
%C%_publication_t_SOURCES = %D%/publication.c %D%/support.c %D%/support.h
%C%_publication_t_LDADD = $(gds_unit_libs)
%C%_publication_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
%C%_race_t_SOURCES = %D%/race.c %D%/support.c %D%/support.h
%C%_race_t_LDADD = $(gds_unit_libs)
%C%_race_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
%C%_read_t_SOURCES = %D%/read.c %D%/support.c %D%/support.h
%C%_read_t_LDADD = $(gds_unit_libs)
%C%_read_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
%C%_thread_cache_t_SOURCES = %D%/thread_cache.c %D%/support.c %D%/support.h
%C%_thread_cache_t_LDADD = $(gds_unit_libs)
%C%_thread_cache_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
%C%_slice_t_SOURCES = %D%/slice.c %D%/support.c %D%/support.h
%C%_slice_t_LDADD = $(gds_unit_libs)
%C%_slice_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
%C%_store_t_SOURCES = %D%/store.c %D%/support.c %D%/support.h
%C%_store_t_LDADD = $(gds_unit_libs)
%C%_store_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
%C%_golden_t_SOURCES = %D%/golden.c %D%/support.c %D%/support.h
%C%_golden_t_LDADD = $(gds_unit_libs)
%C%_golden_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
EXTRA_DIST += test/golden/segment-1.0 test/golden/segment-1.1 test/golden/segment-1.2

# The store compiled anew, with a hook at each store to the segment.
%C%_crash_t_SOURCES = %D%/crash.c %D%/support.c %D%/support.h $(libpx_gds_la_SOURCES) $(libpx_shmem_la_SOURCES)
%C%_crash_t_CPPFLAGS = $(AM_CPPFLAGS) -DPX_SHM_STORE_HOOK
%C%_crash_t_LDADD = libpx-wire.la libpx-value.la libpx-base.la $(ZLIB_LIBS) $(CMOCKA_LIBS)
%C%_crash_t_LDFLAGS = $(AM_LDFLAGS) $(gds_wrap_alloc)
