noinst_PROGRAMS += %D%/bench
%C%_bench_SOURCES = %D%/main.c %D%/host.c %D%/daemon.c %D%/daemon.h %D%/client.c %D%/measure.c %D%/measure.h
%C%_bench_LDADD = libpmix.la -lm
%C%_bench_LDFLAGS = $(AM_LDFLAGS) -no-install
EXTRA_DIST += %D%/compare %D%/README.md
