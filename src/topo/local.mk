noinst_LTLIBRARIES += libpx-topo.la
libpx_topo_la_CFLAGS = $(AM_CFLAGS) $(HWLOC_CFLAGS)
libpx_topo_la_SOURCES = %D%/cpuset.c %D%/cpuset.h %D%/distance.c %D%/distance.h %D%/hwloc_lib.c %D%/hwloc_lib.h %D%/interleave.c %D%/interleave.h \
  %D%/locality.c %D%/locality.h %D%/topo.c %D%/topo.h %D%/topo_hooks.c %D%/topo_hooks.h %D%/topo_values.c \
  %D%/topo_values.h
