noinst_LTLIBRARIES += libpx-nspace.la
libpx_nspace_la_SOURCES = %D%/derive.c %D%/info_arrays.c %D%/job.c %D%/job.h %D%/job_pack.c %D%/jobinfo.c \
  %D%/jobinfo.h %D%/key_properties.c %D%/key_types.c %D%/key_types.h %D%/maps.c %D%/names.c %D%/proc_sets.c %D%/proc_sets.h %D%/query_args.c \
  %D%/query_args.h %D%/ranks.c %D%/ranks.h %D%/resolve.c %D%/resolve.h %D%/types_gen.h
