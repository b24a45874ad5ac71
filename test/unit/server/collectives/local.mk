coll_unit_libs = libpx-server.la libpx-nspace.la libpx-gds.la libpx-wire.la libpx-value.la libpx-loop.la libpx-shmem.la libpx-base.la \
  $(CMOCKA_LIBS)
check_PROGRAMS += %D%/modex_blob.t %D%/modex_delta.t %D%/modex_log.t %D%/high_water.t %D%/tracker.t
TESTS += %D%/modex_blob.t %D%/modex_delta.t %D%/modex_log.t %D%/high_water.t %D%/tracker.t
%C%_modex_blob_t_SOURCES = %D%/modex_blob.c
%C%_modex_blob_t_LDADD = $(coll_unit_libs)
%C%_modex_delta_t_SOURCES = %D%/modex_delta.c
%C%_modex_delta_t_LDADD = $(coll_unit_libs)
%C%_high_water_t_SOURCES = %D%/high_water.c
%C%_high_water_t_LDADD = $(coll_unit_libs)
%C%_tracker_t_SOURCES = %D%/tracker.c
%C%_tracker_t_LDADD = $(coll_unit_libs)
%C%_tracker_t_LDFLAGS = $(AM_LDFLAGS) $(PX_WRAP_ALLOC)
%C%_modex_log_t_SOURCES = %D%/modex_log.c
%C%_modex_log_t_LDADD = $(coll_unit_libs)
