topo_unit_tests = %D%/cpuset.t %D%/distance.t %D%/topo_hooks.t %D%/locality.t %D%/interleave.t %D%/topo.t
topo_unit_libs = libpx-topo.la libpx-value.la libpx-base.la $(HWLOC_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += $(topo_unit_tests)
TESTS += $(topo_unit_tests)

test_unit_topo_cpuset_t_SOURCES = %D%/cpuset.c
test_unit_topo_cpuset_t_LDADD = $(topo_unit_libs)
test_unit_topo_distance_t_SOURCES = %D%/distance.c
test_unit_topo_distance_t_LDADD = $(topo_unit_libs)
test_unit_topo_locality_t_SOURCES = %D%/locality.c
test_unit_topo_locality_t_LDADD = $(topo_unit_libs)
test_unit_topo_topo_t_SOURCES = %D%/topo.c
test_unit_topo_topo_t_LDADD = $(topo_unit_libs)
test_unit_topo_topo_hooks_t_SOURCES = %D%/topo_hooks.c
test_unit_topo_topo_hooks_t_LDADD = $(topo_unit_libs)
test_unit_topo_interleave_t_SOURCES = %D%/interleave.c
test_unit_topo_interleave_t_LDADD = $(topo_unit_libs)
noinst_HEADERS += %D%/use.h
