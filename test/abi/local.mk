# The interface against tables/: layout and values (C and C++), macros, exports, the system's headers.
check_PROGRAMS += %D%/facts.t %D%/facts_cxx.t %D%/macros.t %D%/macros_cxx.t %D%/loaded
%C%_loaded_SOURCES = %D%/loaded.c
%C%_facts_t_SOURCES = %D%/facts.c %D%/facts_gen.h
%C%_facts_cxx_t_SOURCES = %D%/facts_cxx.cc
%C%_macros_t_SOURCES = %D%/macros.c
%C%_macros_t_LDADD = libpmix.la
%C%_macros_cxx_t_SOURCES = %D%/macros_cxx.cc
%C%_macros_cxx_t_LDADD = libpmix.la

px_abi_scripts = %D%/exports.sh %D%/headers.sh %D%/imports.sh %D%/loaded.sh scripts/check-generated
dist_check_SCRIPTS += $(px_abi_scripts)
TESTS += %D%/facts.t %D%/facts_cxx.t %D%/macros.t %D%/macros_cxx.t $(px_abi_scripts)
EXTRA_DIST += scripts/gen-abi scripts/gen-constants scripts/gen-keys scripts/gen-realm scripts/gen-status scripts/gen-strings scripts/gen-types \
  tables/attributes.tsv tables/constants.tsv tables/functions.tsv tables/inlines.tsv tables/macros.tsv tables/meanings.tsv \
  tables/module.tsv tables/status.tsv tables/structs.tsv
