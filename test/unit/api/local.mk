check_PROGRAMS += %D%/life.t
TESTS += %D%/life.t
%C%_life_t_SOURCES = %D%/life.c
%C%_life_t_LDADD = libpmix.la $(CMOCKA_LIBS)
