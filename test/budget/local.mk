check_PROGRAMS += %D%/gets %D%/growth %D%/instructions %D%/register
%C%_growth_SOURCES = %D%/growth.c
%C%_growth_LDADD = libpx-event.la libpx-context.la libpx-nspace.la libpx-net.la libpx-gds.la libpx-shmem.la \
  libpx-wire.la libpx-value.la libpx-loop.la libpx-base.la $(ZLIB_LIBS)
%C%_gets_SOURCES = %D%/gets.c
%C%_gets_LDADD = libpmix.la
%C%_gets_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_instructions_SOURCES = %D%/instructions.c
%C%_instructions_LDADD = libpmix.la
%C%_instructions_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_register_SOURCES = %D%/register.c
%C%_register_LDADD = libpmix.la
%C%_register_LDFLAGS = $(AM_LDFLAGS) -no-install
px_budget_tests = %D%/gets.sh %D%/growth.sh %D%/instructions.sh %D%/register.sh
TESTS += $(px_budget_tests)
EXTRA_DIST += $(px_budget_tests)
