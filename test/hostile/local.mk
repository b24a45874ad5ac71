check_PROGRAMS += %D%/hostile %D%/users
%C%_hostile_SOURCES = %D%/hostile.c %D%/speak.c %D%/speak.h
%C%_users_SOURCES = %D%/users.c %D%/speak.c %D%/speak.h
%C%_users_LDADD = libpx-host.la libpmix.la
%C%_users_LDFLAGS = $(AM_LDFLAGS) -no-install
TESTS += %D%/hostile.sh %D%/users.sh
EXTRA_DIST += %D%/hostile.sh %D%/users.sh
