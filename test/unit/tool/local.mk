check_PROGRAMS += %D%/find.t
TESTS += %D%/find.t
%C%_find_t_SOURCES = %D%/find.c
%C%_find_t_LDADD = libpx-tool.la libpx-value.la libpx-base.la $(CMOCKA_LIBS)
