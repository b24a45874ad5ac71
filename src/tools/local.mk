bin_SCRIPTS += %D%/pmixcc
bin_PROGRAMS += %D%/pmixrun %D%/pmix_info %D%/pmix-shm

src_tools_pmixrun_SOURCES = %D%/bind.c %D%/collect.c %D%/control.c %D%/env.c %D%/event.c %D%/frame.c \
  %D%/guard.c %D%/host.c %D%/job.c %D%/launch.c %D%/link.c %D%/loop.c %D%/modex.c %D%/names.c %D%/node.c \
  %D%/nodes.h %D%/openmpi.c %D%/options.c %D%/output.c %D%/pmixrun.c %D%/publish.c %D%/query.c \
  %D%/quote.c %D%/quote.h %D%/record.c %D%/relay.c %D%/relay_collect.c \
  %D%/remote.c %D%/report.c %D%/run.h %D%/script.c %D%/shm_find.c %D%/shm_find.h %D%/shm_tally.c %D%/shm_tally.h \
  %D%/spawn.c %D%/std.c %D%/std.h %D%/stdin.c %D%/task.c
# --report looks behind the interface; these two know nothing of PMIx.
src_tools_pmixrun_LDADD = libpx-host.la libpx-shmem.la libpx-base.la libpmix.la

src_tools_pmix_info_SOURCES = %D%/pmix_info.c %D%/std.c %D%/std.h
src_tools_pmix_info_CPPFLAGS = $(AM_CPPFLAGS) -DPX_PREFIX='"$(prefix)"' -DPX_BINDIR='"$(bindir)"' \
  -DPX_LIBDIR='"$(libdir)"' -DPX_INCLUDEDIR='"$(includedir)"'
src_tools_pmix_info_LDADD = libpx-base.la libpmix.la

# Works without libpmix: it looks behind the interface.
src_tools_pmix_shm_SOURCES = %D%/pmix_shm.c %D%/quote.c %D%/quote.h %D%/shm.h %D%/shm_find.c %D%/shm_find.h %D%/shm_list.c %D%/shm_out.c \
  %D%/shm_show.c %D%/shm_stats.c %D%/shm_tally.c %D%/shm_tally.h %D%/std.c %D%/std.h
src_tools_pmix_shm_LDADD = libpx-gds.la libpx-wire.la libpx-value.la libpx-shmem.la libpx-base.la $(ZLIB_LIBS) -lm
