# Parts of pmixrun that need no process.
check_PROGRAMS += %D%/departed.t
TESTS += %D%/departed.t
%C%_departed_t_SOURCES = %D%/departed.c src/tools/run/collect_key.c src/tools/run/departed.c src/tools/run/frame.c
%C%_departed_t_LDADD = libpmix.la $(CMOCKA_LIBS)
%C%_departed_t_LDFLAGS = $(AM_LDFLAGS) -no-install
