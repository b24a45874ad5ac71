noinst_PROGRAMS += %D%/bench %D%/fairness %D%/scale %D%/job %D%/job_rank %D%/family
%C%_fairness_SOURCES = %D%/attacks.c %D%/attacks.h %D%/attacks_priv.h %D%/attacks_by_hand.c \
	%D%/attacks_groups.c %D%/fairness.c %D%/measure.c %D%/measure.h %D%/waits.c %D%/waits.h \
	test/hostile/speak.c test/hostile/speak.h
%C%_fairness_LDADD = libpx-host.la libpmix.la -lm
%C%_fairness_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_bench_SOURCES = %D%/main.c %D%/host.c %D%/layout.c %D%/layout.h %D%/daemon.c %D%/daemon.h \
	%D%/client.c %D%/fair.c %D%/fair.h %D%/floor.c %D%/measure.c %D%/measure.h
%C%_bench_LDADD = libpx-host.la libpmix.la -lm
%C%_bench_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_scale_SOURCES = %D%/scale.c %D%/scale.h %D%/scale_job.c %D%/scale_client.c %D%/layout.c %D%/layout.h %D%/daemon.c \
	%D%/daemon.h %D%/measure.c %D%/measure.h
%C%_scale_LDADD = libpx-host.la libpmix.la -lm
%C%_scale_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_job_SOURCES = %D%/job.c %D%/node.c %D%/node.h %D%/board.c %D%/board.h %D%/layout.c %D%/layout.h \
	%D%/daemon.c %D%/daemon.h %D%/measure.c %D%/measure.h
%C%_job_LDADD = libpx-heap.la libpx-host.la libpmix.la -lm
# Nothing of it is called here: the linker is told to take the allocator's configuration.
%C%_job_LDFLAGS = $(AM_LDFLAGS) -no-install -Wl,-u,px_heap_look
%C%_job_rank_SOURCES = %D%/job_rank.c %D%/measure.c %D%/measure.h
%C%_job_rank_LDADD = libpmix.la -lm
%C%_job_rank_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_family_SOURCES = %D%/family.c %D%/family.h %D%/family_event.c %D%/family_group.c %D%/family_fence.c \
	%D%/family_ask.c %D%/family_pull.c %D%/family_stream.c \
	%D%/board.c %D%/board.h %D%/measure.c %D%/measure.h
%C%_family_LDADD = libpmix.la -lm
%C%_family_LDFLAGS = $(AM_LDFLAGS) -no-install
TESTS += %D%/smoke.sh
EXTRA_DIST += %D%/report %D%/results %D%/smoke.sh %D%/compare %D%/families.py %D%/launch.py %D%/mpi_start.c %D%/README.md
