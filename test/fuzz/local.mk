# Every target is a program of its own: replayed over its corpus by make check, driven by libFuzzer by make fuzz.
fuzz_tests = %D%/codec_fuzz.t %D%/dispatch_fuzz.t %D%/introduction_fuzz.t %D%/map_fuzz.t %D%/modex_fuzz.t %D%/param_fuzz.t \
  %D%/reply_fuzz.t %D%/segment_fuzz.t %D%/uri_fuzz.t
check_PROGRAMS += $(fuzz_tests)
TESTS += $(fuzz_tests)
EXTRA_DIST += %D%/corpus
replay = test/lib/replay.c test/lib/mutate.c test/lib/mutate.h
wire_fuzz_libs = libpx-wire.la libpx-value.la libpx-base.la

test_fuzz_codec_fuzz_t_SOURCES = %D%/codec_fuzz.c %D%/fuzz.h $(replay)
test_fuzz_codec_fuzz_t_LDADD = $(wire_fuzz_libs)
test_fuzz_map_fuzz_t_SOURCES = %D%/map_fuzz.c %D%/fuzz.h $(replay)
test_fuzz_map_fuzz_t_LDADD = $(wire_fuzz_libs)
# The store compiled anew, with a hook at each step of a reader.
test_fuzz_segment_fuzz_t_SOURCES = %D%/segment_fuzz.c %D%/fuzz.h $(replay) $(libpx_gds_la_SOURCES) $(libpx_shmem_la_SOURCES)
test_fuzz_segment_fuzz_t_CPPFLAGS = $(AM_CPPFLAGS) -DPX_SHM_STEP_HOOK
test_fuzz_segment_fuzz_t_LDADD = libpx-wire.la libpx-value.la libpx-base.la
# With the whole library, whose inner names libpmix does not export; a few cuts of each input, since one takes a millisecond.
half_client = %D%/half_client.c %D%/half_client.h %D%/half_calls.h %D%/half_reads.c %D%/half_groups.c %D%/half_more.c
half_server = %D%/half_server.c %D%/half_server.h %D%/fuzz_clock.c %D%/fuzz_clock.h %D%/fuzz.h $(replay)
half_libs = libpx-host.la $(libpmix_la_LIBADD)
half_ldflags = $(AM_LDFLAGS) -Wl,--wrap=px_clock_ns,--wrap=epoll_wait
test_fuzz_dispatch_fuzz_t_SOURCES = %D%/dispatch_fuzz.c %D%/started.c %D%/started.h $(half_server)
test_fuzz_dispatch_fuzz_t_CPPFLAGS = $(AM_CPPFLAGS) -DREPLAY_CUTS=8
test_fuzz_dispatch_fuzz_t_LDADD = $(half_libs)
test_fuzz_dispatch_fuzz_t_LDFLAGS = $(half_ldflags) -Wl,--wrap=posix_spawnp,--wrap=vfork
test_fuzz_introduction_fuzz_t_SOURCES = %D%/introduction_fuzz.c $(half_server)
test_fuzz_introduction_fuzz_t_CPPFLAGS = $(AM_CPPFLAGS) -DREPLAY_CUTS=8
test_fuzz_introduction_fuzz_t_LDADD = $(half_libs)
test_fuzz_introduction_fuzz_t_LDFLAGS = $(half_ldflags) -Wl,--wrap=socket
test_fuzz_modex_fuzz_t_SOURCES = %D%/modex_fuzz.c $(half_server)
test_fuzz_modex_fuzz_t_CPPFLAGS = $(AM_CPPFLAGS) -DREPLAY_CUTS=8
test_fuzz_modex_fuzz_t_LDADD = $(half_libs)
test_fuzz_modex_fuzz_t_LDFLAGS = $(half_ldflags)
test_fuzz_reply_fuzz_t_SOURCES = %D%/reply_fuzz.c %D%/fake_segment.c %D%/fake_segment.h $(half_client) $(half_server)
test_fuzz_reply_fuzz_t_CPPFLAGS = $(AM_CPPFLAGS) -DREPLAY_CUTS=8
test_fuzz_reply_fuzz_t_LDADD = $(half_libs)
test_fuzz_reply_fuzz_t_LDFLAGS = $(half_ldflags)
test_fuzz_param_fuzz_t_SOURCES = %D%/param_fuzz.c %D%/fuzz.h $(replay)
test_fuzz_param_fuzz_t_LDADD = libpx-base.la
test_fuzz_uri_fuzz_t_SOURCES = %D%/uri_fuzz.c %D%/fuzz.h $(replay)
test_fuzz_uri_fuzz_t_LDADD = $(half_libs)

# Writes the seeds of corpus/segment: test/lib/segment_seeds test/fuzz/corpus/segment
check_PROGRAMS += test/lib/segment_seeds
test_lib_segment_seeds_SOURCES = test/lib/segment_seeds.c
test_lib_segment_seeds_LDADD = libpx-gds.la libpx-wire.la libpx-value.la libpx-shmem.la libpx-base.la

# Writes those of introduction, dispatch, reply and modex: test/lib/conversation_seeds test/fuzz/corpus
check_PROGRAMS += test/lib/conversation_seeds
test_lib_conversation_seeds_SOURCES = test/lib/conversation_seeds.c test/lib/seeds.c test/lib/seeds.h test/lib/seeds_dispatch.c test/lib/seeds_reply.c $(half_client) %D%/half_server.c %D%/half_server.h %D%/fuzz_clock.c %D%/fuzz_clock.h %D%/started.c %D%/started.h
test_lib_conversation_seeds_LDADD = $(half_libs)
test_lib_conversation_seeds_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=sendmsg,--wrap=recvmsg,--wrap=px_clock_ns,--wrap=epoll_wait,--wrap=posix_spawnp,--wrap=vfork

FUZZ_CC = clang
FUZZ_CXX = $(FUZZ_CC)
FUZZ_SECONDS = 60
FUZZ_OUT = test/fuzz
FUZZ_SANITIZE = address,undefined
FUZZ_CFLAGS = -g -O1 -fsanitize=fuzzer-no-link,$(FUZZ_SANITIZE) -fno-sanitize-recover=undefined
FUZZ_ENGINE = -fsanitize=fuzzer,$(FUZZ_SANITIZE)
FUZZ_TARGETS = codec dispatch introduction map modex param reply segment uri
fuzz_build = sources="$(libpmix_la_sources) $(libpx_host_la_SOURCES)" flags='$(DEFS) $(DEFAULT_INCLUDES) $(fuzz_cppflags) $(CPPFLAGS)' \
  libs='-lpthread -ldl' top='$(abs_top_srcdir)' $(SHELL) $(srcdir)/test/fuzz/build
libpmix_la_sources = $(libpx_api_la_SOURCES) $(libpx_server_la_SOURCES) $(libpx_client_la_SOURCES) $(libpx_event_la_SOURCES) \
  $(libpx_context_la_SOURCES) $(libpx_discovery_la_SOURCES) $(libpx_nspace_la_SOURCES) $(libpx_net_la_SOURCES) $(libpx_gds_la_SOURCES) \
  $(libpx_waits_la_SOURCES) $(libpx_request_la_SOURCES) $(libpx_wire_la_SOURCES) $(libpx_topo_la_SOURCES) $(libpx_value_la_SOURCES) \
  $(libpx_loop_la_SOURCES) $(libpx_shmem_la_SOURCES) $(libpx_base_la_SOURCES)

# AM_CPPFLAGS without what is quoted.
fuzz_cppflags = -D_GNU_SOURCE -I$(top_builddir)/include -I$(top_srcdir) -I$(top_srcdir)/include -DPMIX_SERVER_MODULE_LEVEL=61

# The targets, in test/fuzz of the build folder, or where contrib/oss-fuzz wants them.
fuzz-targets: $(BUILT_SOURCES)
	@CC='$(FUZZ_CC)' CXX='$(FUZZ_CXX)' FUZZ_CFLAGS='$(FUZZ_CFLAGS)' FUZZ_ENGINE='$(FUZZ_ENGINE)' $(fuzz_build) '$(FUZZ_OUT)' $(FUZZ_TARGETS)

# With FUZZ_SANITIZE=memory uses of what was never written are found. Finds are kept in the build folder; what is worth keeping goes into the corpus, with a test. What the library writes to standard
# error is dropped: an input of param may set its verbosity. Reports of the fuzzer and the sanitizers are not.
fuzz:
	@command -v $(FUZZ_CC) >/dev/null || { echo "fuzz: $(FUZZ_CC) is not here, skipped"; exit 0; }; \
	$(MAKE) --no-print-directory fuzz-targets || exit 1; \
	for t in $(FUZZ_TARGETS); do \
	  $(MKDIR_P) $(FUZZ_OUT)/found-$$t; \
	  echo "==== fuzz: $$t, $(FUZZ_SANITIZE), $(FUZZ_SECONDS) s"; \
	  $(FUZZ_OUT)/$${t}_fuzz -dict=$(FUZZ_OUT)/fuzz.dict -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=4096 -max_len=16384 -timeout=60 -print_final_stats=1 \
	    -verbosity=0 -close_fd_mask=2 -artifact_prefix=$(FUZZ_OUT)/$$t- $(FUZZ_OUT)/found-$$t $(abs_top_srcdir)/test/fuzz/corpus/$$t || exit 1; \
	done

# The same without a fuzzer, for some seconds each: changed copies of the corpora, chosen by FUZZ_SEED, in whatever build this is.
FUZZ_CHANGE_SECONDS = 6
FUZZ_SEED = 1
fuzz-changes: $(fuzz_tests)
	@for t in $(FUZZ_TARGETS); do \
	  echo "==== $$t"; \
	  PX_TOP_SRCDIR='$(abs_top_srcdir)' PX_FUZZ_SEED='$(FUZZ_SEED)' PX_FUZZ_SECONDS='$(FUZZ_CHANGE_SECONDS)' test/fuzz/$${t}_fuzz.t 2>test/fuzz/changes.err || \
	    { tail -n 40 test/fuzz/changes.err; exit 1; }; \
	done

CLEANFILES += %D%/changes.err

# Which lines the corpora reach: those of the folders in which a peer's bytes are read.
fuzz-coverage:
	@$(MAKE) --no-print-directory fuzz-targets FUZZ_OUT=test/fuzz/coverage FUZZ_CFLAGS='-g -O0 -fprofile-instr-generate -fcoverage-mapping' \
	  FUZZ_ENGINE='-I$(top_srcdir) -DREPLAY_CUTS=1 $(abs_top_srcdir)/test/lib/replay.c $(abs_top_srcdir)/test/lib/mutate.c' || exit 1; \
	top='$(abs_top_srcdir)' $(SHELL) $(srcdir)/test/fuzz/coverage test/fuzz/coverage $(FUZZ_TARGETS)
EXTRA_DIST += %D%/build %D%/coverage %D%/not-from-peers %D%/foreign.c
