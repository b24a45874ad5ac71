# sources of this folder
include %D%/topo/local.mk

check_PROGRAMS += %D%/value/frameworks.t %D%/value/strings.t
TESTS += %D%/value/frameworks.t %D%/value/strings.t
%C%_value_frameworks_t_SOURCES = %D%/value/frameworks.c
%C%_value_frameworks_t_LDADD = libpx-value.la libpx-base.la $(CMOCKA_LIBS)
%C%_value_strings_t_SOURCES = %D%/value/strings.c
%C%_value_strings_t_LDADD = libpx-value.la libpx-base.la $(CMOCKA_LIBS)
