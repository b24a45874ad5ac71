noinst_LTLIBRARIES += libpx-nspace.la
libpx_nspace_la_SOURCES = %D%/derive.c %D%/derive.h %D%/info_arrays.c %D%/info_arrays.h %D%/job.c %D%/job.h \
  %D%/job_pack.c %D%/job_pack.h %D%/jobinfo.c %D%/jobinfo.h %D%/key_properties.c %D%/key_properties.h \
  %D%/key_types.c %D%/key_types.h %D%/maps.c %D%/maps.h %D%/names.c %D%/names.h %D%/normal_form.c %D%/normal_form.h %D%/proc_infos.c %D%/proc_infos.h %D%/proc_sets.c %D%/proc_sets.h %D%/set_index.c %D%/set_index.h \
  %D%/query_args.c %D%/query_args.h %D%/ranks.c %D%/ranks.h %D%/resolve.c %D%/resolve.h %D%/types_gen.h
