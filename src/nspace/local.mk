noinst_LTLIBRARIES += libpx-nspace.la
libpx_nspace_la_SOURCES = %D%/arrays.c %D%/derive.c %D%/job.c %D%/job.h %D%/jobinfo.c %D%/jobinfo.h %D%/known.c %D%/maps.c %D%/names.c \
  %D%/pack.c %D%/ranks.c %D%/ranks.h %D%/types.c %D%/types.h %D%/types_gen.h
