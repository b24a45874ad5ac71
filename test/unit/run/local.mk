# Parts of pmixrun that need no process.
check_PROGRAMS += %D%/departed.t %D%/collect.t
TESTS += %D%/departed.t %D%/collect.t
%C%_departed_t_SOURCES = %D%/departed.c src/tools/run/collect_key.c src/tools/run/departed.c src/tools/run/frame.c
%C%_departed_t_LDADD = libpmix.la $(CMOCKA_LIBS)
%C%_departed_t_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_collect_t_SOURCES = %D%/collect.c src/tools/run/absent.c src/tools/run/collect_key.c src/tools/run/collect_lost.c \
  src/tools/run/collective.c src/tools/run/departed.c src/tools/run/frame.c src/tools/run/relay_collect.c
%C%_collect_t_LDADD = libpx-base.la libpmix.la $(CMOCKA_LIBS)
%C%_collect_t_LDFLAGS = $(AM_LDFLAGS) -no-install
