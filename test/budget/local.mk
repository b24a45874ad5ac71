check_PROGRAMS += %D%/gets
%C%_gets_SOURCES = %D%/gets.c
%C%_gets_LDADD = libpmix.la
%C%_gets_LDFLAGS = $(AM_LDFLAGS) -no-install
TESTS += %D%/gets.sh
EXTRA_DIST += %D%/gets.sh
