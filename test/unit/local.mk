# sources of this folder
noinst_HEADERS += %D%/opened_library.h %D%/process.h %D%/scratch.h
include %D%/api/local.mk
include %D%/base/local.mk
include %D%/client/local.mk
include %D%/context/local.mk
include %D%/discovery/local.mk
include %D%/event/local.mk
include %D%/gds/local.mk
include %D%/heap/local.mk
include %D%/loop/local.mk
include %D%/net/local.mk
include %D%/nspace/local.mk
include %D%/request/local.mk
include %D%/run/local.mk
include %D%/server/local.mk
include %D%/server/collectives/local.mk
include %D%/server/data/local.mk
include %D%/shmem/local.mk
include %D%/topo/local.mk
include %D%/value/local.mk
include %D%/waits/local.mk
include %D%/wire/local.mk

check_PROGRAMS += %D%/value/strings.t
TESTS += %D%/value/strings.t
%C%_value_strings_t_SOURCES = %D%/value/strings.c
%C%_value_strings_t_LDADD = libpx-value.la libpx-base.la $(CMOCKA_LIBS)

check_PROGRAMS += %D%/base/map.t
TESTS += %D%/base/map.t
%C%_base_map_t_SOURCES = %D%/base/map.c
%C%_base_map_t_LDADD = libpx-base.la $(CMOCKA_LIBS)

check_PROGRAMS += %D%/base/epoch.t
TESTS += %D%/base/epoch.t
%C%_base_epoch_t_SOURCES = %D%/base/epoch.c
%C%_base_epoch_t_LDADD = libpx-base.la $(CMOCKA_LIBS)
