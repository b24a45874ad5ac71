noinst_LTLIBRARIES += libpx-topo.la
libpx_topo_la_CFLAGS = $(AM_CFLAGS) $(HWLOC_CFLAGS)
libpx_topo_la_SOURCES = %D%/cpuset.c %D%/distance.c %D%/topo_hooks.c %D%/locality.c %D%/machine.h %D%/interleave.c %D%/topo.c \
  %D%/topo.h %D%/topo_values.c
