noinst_LTLIBRARIES += libpx-nspace.la
libpx_nspace_la_SOURCES = %D%/info_arrays.c %D%/derive.c %D%/job.c %D%/job.h %D%/jobinfo.c %D%/jobinfo.h %D%/key_properties.c %D%/maps.c %D%/names.c \
  %D%/job_pack.c %D%/ranks.c %D%/ranks.h %D%/key_types.c %D%/key_types.h %D%/types_gen.h
