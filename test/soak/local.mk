# A host whose clients come, work, die and come again.
check_PROGRAMS += %D%/soak
test_soak_soak_SOURCES = %D%/soak.c %D%/soak.h %D%/ops.c %D%/ops.h %D%/member.c %D%/transient.c \
  bench/daemon.c bench/daemon.h bench/layout.c bench/layout.h
test_soak_soak_LDADD = libpx-heap.la libpx-host.la libpmix.la
test_soak_soak_LDFLAGS = $(AM_LDFLAGS) -no-install
dist_check_SCRIPTS += %D%/soak.sh
TESTS += %D%/soak.sh
px_long_tests += %D%/soak.sh
