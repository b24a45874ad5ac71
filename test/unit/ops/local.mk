check_PROGRAMS += %D%/resolve.t
TESTS += %D%/resolve.t
%C%_resolve_t_SOURCES = %D%/resolve.c test/unit/nspace/build.h
%C%_resolve_t_LDADD = libpx-ops.la libpx-nspace.la libpx-gds.la libpx-wire.la libpx-value.la libpx-shmem.la \
  libpx-base.la $(ZLIB_LIBS) $(CMOCKA_LIBS)
