nspace_unit_tests = %D%/derive.t %D%/jobinfo.t %D%/job_pack.t %D%/ranks.t %D%/key_types.t %D%/proc_infos.t %D%/proc_sets.t \
  %D%/query_args.t %D%/resolve.t %D%/scarce.t
nspace_unit_libs = libpx-nspace.la libpx-gds.la libpx-wire.la libpx-value.la libpx-shmem.la libpx-base.la \
  $(ZLIB_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += $(nspace_unit_tests)
TESTS += $(nspace_unit_tests)
%C%_derive_t_SOURCES = %D%/derive.c %D%/build.h
%C%_derive_t_LDADD = $(nspace_unit_libs)
%C%_jobinfo_t_SOURCES = %D%/jobinfo.c %D%/build.h
%C%_jobinfo_t_LDADD = $(nspace_unit_libs)
%C%_job_pack_t_SOURCES = %D%/job_pack.c %D%/build.h
%C%_job_pack_t_LDADD = $(nspace_unit_libs)
%C%_ranks_t_SOURCES = %D%/ranks.c
%C%_ranks_t_LDADD = $(nspace_unit_libs)
%C%_key_types_t_SOURCES = %D%/key_types.c
%C%_key_types_t_LDADD = $(nspace_unit_libs)
%C%_proc_infos_t_SOURCES = %D%/proc_infos.c %D%/build.h
%C%_proc_infos_t_LDADD = $(nspace_unit_libs)
%C%_proc_sets_t_SOURCES = %D%/proc_sets.c
%C%_proc_sets_t_LDADD = $(nspace_unit_libs)
%C%_query_args_t_SOURCES = %D%/query_args.c
%C%_query_args_t_LDADD = $(nspace_unit_libs)
%C%_resolve_t_SOURCES = %D%/resolve.c %D%/build.h
%C%_resolve_t_LDADD = $(nspace_unit_libs)
%C%_scarce_t_SOURCES = %D%/scarce.c %D%/build.h
%C%_scarce_t_LDADD = $(nspace_unit_libs)
%C%_scarce_t_LDFLAGS = $(AM_LDFLAGS) $(PX_WRAP_ALLOC)
