check_PROGRAMS += %D%/asked %D%/gets %D%/group_replies %D%/groups_end %D%/growth %D%/instructions %D%/messages %D%/modexes %D%/recounts %D%/register
%C%_asked_SOURCES = %D%/asked.c %D%/pair.c %D%/pair.h
%C%_asked_LDADD = libpmix.la
%C%_asked_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_growth_SOURCES = %D%/growth.c
%C%_growth_LDADD = libpx-client.la libpx-event.la libpx-context.la libpx-nspace.la libpx-net.la libpx-gds.la libpx-shmem.la \
  libpx-wire.la libpx-value.la libpx-loop.la libpx-base.la
%C%_gets_SOURCES = %D%/gets.c
%C%_gets_LDADD = libpmix.la
%C%_gets_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_group_replies_SOURCES = %D%/group_replies.c test/hostile/speak.c test/hostile/speak.h
%C%_group_replies_LDADD = libpmix.la
%C%_group_replies_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_groups_end_SOURCES = %D%/groups_end.c %D%/pair.c %D%/pair.h
%C%_groups_end_LDADD = libpmix.la
%C%_groups_end_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_instructions_SOURCES = %D%/instructions.c
%C%_instructions_LDADD = libpmix.la
%C%_instructions_LDFLAGS = $(AM_LDFLAGS) -no-install
%C%_messages_SOURCES = %D%/messages.c
%C%_messages_LDADD = libpmix.la
%C%_messages_LDFLAGS = $(AM_LDFLAGS) -no-install
# Private functions: a process that does not run commits.
%C%_modexes_SOURCES = %D%/modexes.c
%C%_modexes_LDADD = $(libpmix_la_LIBADD)
# Peers without a connection: private functions.
%C%_recounts_SOURCES = %D%/recounts.c
%C%_recounts_LDADD = $(libpmix_la_LIBADD)
%C%_register_SOURCES = %D%/register.c
%C%_register_LDADD = libpmix.la
%C%_register_LDFLAGS = $(AM_LDFLAGS) -no-install
px_budget_tests = %D%/gets.sh %D%/growth.sh %D%/instructions.sh %D%/launch.sh %D%/messages.sh %D%/register.sh
TESTS += $(px_budget_tests)
EXTRA_DIST += $(px_budget_tests)
