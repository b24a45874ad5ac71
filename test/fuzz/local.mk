# Every target is a program of its own: replayed over its corpus by make check, driven by libFuzzer by make fuzz.
check_PROGRAMS += %D%/codec_fuzz.t %D%/map_fuzz.t %D%/segment_fuzz.t
TESTS += %D%/codec_fuzz.t %D%/map_fuzz.t %D%/segment_fuzz.t
EXTRA_DIST += %D%/corpus
wire_fuzz_libs = libpx-wire.la libpx-value.la libpx-base.la $(ZLIB_LIBS)

test_fuzz_codec_fuzz_t_SOURCES = %D%/codec_fuzz.c %D%/fuzz.h test/lib/replay.c
test_fuzz_codec_fuzz_t_LDADD = $(wire_fuzz_libs)
test_fuzz_map_fuzz_t_SOURCES = %D%/map_fuzz.c %D%/fuzz.h test/lib/replay.c
test_fuzz_map_fuzz_t_LDADD = $(wire_fuzz_libs)
# The store compiled anew, with a hook at each step of a reader.
test_fuzz_segment_fuzz_t_SOURCES = %D%/segment_fuzz.c %D%/fuzz.h test/lib/replay.c $(libpx_gds_la_SOURCES) $(libpx_shmem_la_SOURCES)
test_fuzz_segment_fuzz_t_CPPFLAGS = $(AM_CPPFLAGS) -DPX_SHM_STEP_HOOK
test_fuzz_segment_fuzz_t_LDADD = libpx-wire.la libpx-value.la libpx-base.la $(ZLIB_LIBS)

# Writes the seeds of corpus/segment: test/lib/segment_seeds test/fuzz/corpus/segment
check_PROGRAMS += test/lib/segment_seeds
test_lib_segment_seeds_SOURCES = test/lib/segment_seeds.c
test_lib_segment_seeds_LDADD = libpx-gds.la libpx-wire.la libpx-value.la libpx-shmem.la libpx-base.la $(ZLIB_LIBS)

FUZZ_CC = clang
FUZZ_SECONDS = 60
FUZZ_CFLAGS = -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -D_GNU_SOURCE
FUZZ_TARGETS = codec map segment
fuzz_sources = $(libpx_gds_la_SOURCES) $(libpx_shmem_la_SOURCES) $(libpx_wire_la_SOURCES) $(libpx_value_la_SOURCES) $(libpx_base_la_SOURCES)

# Finds are kept in the build folder; what is worth keeping goes into the corpus, with a test.
fuzz:
	@command -v $(FUZZ_CC) >/dev/null || { echo "fuzz: $(FUZZ_CC) is not here, skipped"; exit 0; }; \
	$(MKDIR_P) test/fuzz; \
	sources=; \
	for f in $(fuzz_sources); do case $$f in *.c) sources="$$sources $(abs_top_srcdir)/$$f";; esac; done; \
	for t in $(FUZZ_TARGETS); do \
	  hook=; [ $$t != segment ] || hook=-DPX_SHM_STEP_HOOK; \
	  $(FUZZ_CC) $(FUZZ_CFLAGS) $$hook $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) \
	    $(abs_top_srcdir)/test/fuzz/$${t}_fuzz.c $$sources $(ZLIB_LIBS) -lpthread -o test/fuzz/$${t}_fuzz || exit 1; \
	  $(MKDIR_P) test/fuzz/found-$$t; \
	  test/fuzz/$${t}_fuzz -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=4096 -artifact_prefix=test/fuzz/ \
	    test/fuzz/found-$$t $(abs_top_srcdir)/test/fuzz/corpus/$$t || exit 1; \
	done
