wire_unit_tests = %D%/compress.t %D%/data.t %D%/messages.t %D%/owed.t %D%/pack.t %D%/regex.t %D%/regex2.t %D%/unpack.t \
  %D%/kval_view.t %D%/zlib_lib.t
wire_unit_libs = libpx-wire.la libpx-value.la libpx-base.la $(CMOCKA_LIBS)
check_PROGRAMS += $(wire_unit_tests)
TESTS += $(wire_unit_tests)
wire_gen = %D%/gen.c %D%/gen.h %D%/hex.h

test_unit_wire_compress_t_SOURCES = %D%/compress.c $(wire_gen)
test_unit_wire_compress_t_LDADD = $(wire_unit_libs)
test_unit_wire_compress_t_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc
# the sources of src/api that need nothing above these layers
check_LTLIBRARIES += %D%/libdata.la
test_unit_wire_libdata_la_SOURCES = src/api/codec_hooks.c src/api/pack.c src/api/regex.c
test_unit_wire_data_t_SOURCES = %D%/data.c $(wire_gen)
test_unit_wire_data_t_LDADD = %D%/libdata.la libpx-topo.la $(wire_unit_libs) $(HWLOC_LIBS)
test_unit_wire_messages_t_SOURCES = %D%/messages.c $(wire_gen)
test_unit_wire_messages_t_LDADD = $(wire_unit_libs)
test_unit_wire_owed_t_SOURCES = %D%/owed.c
test_unit_wire_owed_t_LDADD = $(wire_unit_libs)
test_unit_wire_pack_t_SOURCES = %D%/pack.c $(wire_gen)
test_unit_wire_pack_t_LDADD = $(wire_unit_libs)
test_unit_wire_regex_t_SOURCES = %D%/regex.c $(wire_gen)
test_unit_wire_regex_t_LDADD = $(wire_unit_libs)
test_unit_wire_regex2_t_SOURCES = %D%/regex2.c
test_unit_wire_regex2_t_LDADD = $(wire_unit_libs)
test_unit_wire_unpack_t_SOURCES = %D%/unpack.c $(wire_gen)
test_unit_wire_unpack_t_LDADD = $(wire_unit_libs)
test_unit_wire_kval_view_t_SOURCES = %D%/kval_view.c $(wire_gen)
test_unit_wire_kval_view_t_LDADD = $(wire_unit_libs)
test_unit_wire_zlib_lib_t_SOURCES = %D%/zlib_lib.c
test_unit_wire_zlib_lib_t_LDADD = $(wire_unit_libs)
