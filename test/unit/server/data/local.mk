check_PROGRAMS += %D%/commit_items.t
TESTS += %D%/commit_items.t
%C%_commit_items_t_SOURCES = %D%/commit_items.c
%C%_commit_items_t_LDADD = $(coll_unit_libs)
