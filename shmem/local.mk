noinst_LTLIBRARIES += libpx-shmem.la
libpx_shmem_la_SOURCES = %D%/bump.c %D%/bump.h %D%/header.c %D%/header.h \
  %D%/layout.h %D%/offset.h %D%/put.h %D%/segment.c %D%/segment.h %D%/table.c %D%/table.h %D%/table_growth.c %D%/table_growth.h
