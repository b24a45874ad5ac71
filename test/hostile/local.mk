check_PROGRAMS += %D%/clones %D%/deaths %D%/gets %D%/honest %D%/hostile %D%/inherit %D%/killed_servers %D%/launcher %D%/namespaces %D%/private %D%/quotas %D%/slow %D%/users
%C%_deaths_SOURCES = %D%/deaths.c %D%/deaths.h %D%/deaths_roles.c %D%/deaths_steps.c
%C%_deaths_CFLAGS = $(AM_CFLAGS) -fvisibility=default -fno-builtin
%C%_deaths_LDADD = libpx-host.la libpmix.la
%C%_deaths_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_gets_SOURCES = %D%/gets.c %D%/actors.c %D%/actors.h %D%/speak.c %D%/speak.h
%C%_gets_LDADD = libpx-host.la libpmix.la
%C%_gets_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_honest_SOURCES = %D%/honest.c
%C%_honest_LDADD = libpmix.la
%C%_honest_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_hostile_SOURCES = %D%/commits.c %D%/commits.h %D%/hostile.c %D%/speak.c %D%/speak.h
%C%_namespaces_SOURCES = %D%/namespaces.c %D%/actors.c %D%/actors.h
%C%_namespaces_LDADD = libpmix.la
%C%_namespaces_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_inherit_SOURCES = %D%/inherit.c
%C%_inherit_CFLAGS = $(AM_CFLAGS) -fvisibility=default
%C%_inherit_LDADD = libpmix.la
%C%_inherit_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_clones_SOURCES = %D%/clones.c %D%/actors.c %D%/actors.h %D%/speak.c %D%/speak.h
%C%_clones_LDADD = libpx-host.la libpmix.la
%C%_clones_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_killed_servers_SOURCES = %D%/killed_servers.c
%C%_killed_servers_LDADD = libpmix.la
%C%_killed_servers_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_launcher_SOURCES = %D%/launcher.c %D%/actors.c %D%/actors.h
%C%_launcher_LDADD = libpx-host.la libpmix.la
%C%_launcher_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_private_SOURCES = %D%/private.c %D%/actors.c %D%/actors.h
%C%_private_LDADD = libpx-host.la libpmix.la
%C%_private_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_quotas_SOURCES = %D%/quotas.c %D%/actors.c %D%/actors.h %D%/speak.c %D%/speak.h
%C%_quotas_LDADD = libpx-host.la libpmix.la
%C%_quotas_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_slow_SOURCES = %D%/slow.c %D%/actors.c %D%/actors.h
%C%_slow_LDADD = libpx-host.la libpmix.la
%C%_slow_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_users_SOURCES = %D%/users.c %D%/users.h %D%/users_tools.c %D%/actors.c %D%/actors.h %D%/speak.c %D%/speak.h
# Whether the kernel names the users of TCP peers: a private function.
%C%_users_LDADD = libpx-host.la libpmix.la libpx-net.la libpx-wire.la libpx-value.la libpx-loop.la libpx-base.la
%C%_users_LDFLAGS = $(AM_LDFLAGS) -no-install
check_LTLIBRARIES += %D%/libfaults.la
%C%_libfaults_la_SOURCES = %D%/faults.c
%C%_libfaults_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default -fno-builtin
# -rpath makes it an object that can be loaded, which is never installed.
%C%_libfaults_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere
TESTS += %D%/clones.sh %D%/deaths.sh %D%/faults.sh %D%/gets.sh %D%/honest.sh %D%/hostile.sh %D%/inherit.sh %D%/killed_servers.sh %D%/launcher.sh %D%/namespaces.sh %D%/private.sh %D%/quotas.sh %D%/slow.sh %D%/users.sh
px_long_tests += %D%/deaths.sh %D%/faults.sh %D%/killed_servers.sh
EXTRA_DIST += %D%/clones.sh %D%/deaths.sh %D%/faults.sh %D%/gets.sh %D%/honest.sh %D%/hostile.sh %D%/inherit.sh %D%/killed_servers.sh %D%/launcher.sh %D%/namespaces.sh %D%/private.sh %D%/quotas.sh %D%/slow.sh %D%/users.sh
