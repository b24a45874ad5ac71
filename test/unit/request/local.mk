request_unit_tests = %D%/fields.t %D%/reply.t %D%/schema.t
request_unit_libs = libpx-request.la libpx-wire.la libpx-value.la libpx-base.la $(CMOCKA_LIBS)
check_PROGRAMS += $(request_unit_tests)
TESTS += $(request_unit_tests)
%C%_fields_t_SOURCES = %D%/fields.c test/unit/wire/gen.c test/unit/wire/gen.h test/unit/wire/hex.h
%C%_fields_t_LDADD = $(request_unit_libs)
%C%_reply_t_SOURCES = %D%/reply.c test/unit/wire/hex.h
%C%_reply_t_LDADD = $(request_unit_libs)
%C%_reply_t_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=free
%C%_schema_t_SOURCES = %D%/schema.c test/unit/wire/hex.h
%C%_schema_t_LDADD = $(request_unit_libs)
