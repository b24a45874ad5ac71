check_PROGRAMS += %D%/life.t %D%/promises.t
TESTS += %D%/life.t %D%/promises.t
%C%_life_t_SOURCES = %D%/life.c test/unit/loop/asleep.h
%C%_life_t_LDADD = libpmix.la $(CMOCKA_LIBS)
%C%_promises_t_SOURCES = %D%/promises.c
%C%_promises_t_LDADD = libpmix.la $(CMOCKA_LIBS)
