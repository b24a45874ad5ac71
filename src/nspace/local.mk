noinst_LTLIBRARIES += libpx-nspace.la
libpx_nspace_la_SOURCES = %D%/jobinfo.h %D%/ranks.c %D%/ranks.h
