coll_unit_libs = libpx-coll.la libpx-wire.la libpx-value.la libpx-loop.la libpx-base.la $(LIBEVENT_LIBS) $(ZLIB_LIBS) \
  $(CMOCKA_LIBS)
check_PROGRAMS += %D%/blob.t %D%/sent.t %D%/tracker.t
TESTS += %D%/blob.t %D%/sent.t %D%/tracker.t
%C%_blob_t_SOURCES = %D%/blob.c
%C%_blob_t_LDADD = $(coll_unit_libs)
%C%_sent_t_SOURCES = %D%/sent.c
%C%_sent_t_LDADD = $(coll_unit_libs)
%C%_tracker_t_SOURCES = %D%/tracker.c
%C%_tracker_t_LDADD = $(coll_unit_libs)
