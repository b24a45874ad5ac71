# With other people's programs: each script says what it needs and skips without it.
check_PROGRAMS += %D%/host %D%/peer %D%/across
%C%_across_SOURCES = %D%/across.c
%C%_across_LDADD = libpmix.la
%C%_across_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_host_SOURCES = %D%/host.c
%C%_host_LDADD = libpx-host.la libpmix.la
%C%_host_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_peer_SOURCES = %D%/peer.c
%C%_peer_LDADD = libpmix.la
%C%_peer_LDFLAGS = $(AM_LDFLAGS) -no-install
interop_tests = %D%/ours.sh %D%/stock_client.sh %D%/stock_server.sh %D%/openmpi_pmixrun.sh \
  %D%/openmpi_mpirun.sh %D%/openmpi_nodes.sh %D%/openmpi_programs.sh %D%/python.sh %D%/slurm.sh %D%/containers.sh
interop_tests += %D%/field.sh
TESTS += $(interop_tests)
EXTRA_DIST += $(interop_tests) %D%/python_alone.py %D%/python_client.py %D%/python_host.py %D%/ring.c %D%/mpi_calls.c %D%/mpi_spawn.py %D%/shmem_calls.c
