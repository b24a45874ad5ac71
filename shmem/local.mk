noinst_LTLIBRARIES += libpx-shmem.la
libpx_shmem_la_SOURCES =
