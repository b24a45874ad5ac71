# With other people's programs: each script says what it needs and skips without it.
check_PROGRAMS += %D%/host %D%/peer %D%/across %D%/launcher %D%/visitor
%C%_visitor_SOURCES = %D%/visitor.c %D%/marks.h %D%/results.h
%C%_visitor_LDADD = libpmix.la
%C%_visitor_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_launcher_SOURCES = %D%/launcher.c %D%/marks.h
%C%_launcher_LDADD = libpmix.la
%C%_launcher_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_across_SOURCES = %D%/across.c
%C%_across_LDADD = libpmix.la
%C%_across_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_host_SOURCES = %D%/host.c %D%/host.h %D%/host_job.c %D%/host_link.c %D%/host_serve.c
%C%_host_LDADD = libpx-host.la libpmix.la
%C%_host_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_peer_SOURCES = %D%/peer.c %D%/results.h
%C%_peer_LDADD = libpmix.la
%C%_peer_LDFLAGS = $(AM_LDFLAGS) -no-install
interop_tests = %D%/ours.sh %D%/stock_client.sh %D%/stock_server.sh %D%/openmpi_pmixrun.sh \
  %D%/openmpi_mpirun.sh %D%/openmpi_nodes.sh %D%/openmpi_programs.sh %D%/python.sh %D%/slurm.sh %D%/containers.sh %D%/podman.sh
interop_tests += %D%/field.sh %D%/daemons.sh %D%/matrix.sh %D%/prrte.sh %D%/debian13.sh %D%/mpi4py.sh
px_long_tests += %D%/debian13.sh %D%/mpi4py.sh
TESTS += $(interop_tests)
EXTRA_DIST += $(interop_tests) %D%/python_alone.py %D%/python_client.py %D%/python_host.py %D%/ring.c %D%/mpi_calls.c %D%/mpi_spawn.py %D%/shmem_calls.c
