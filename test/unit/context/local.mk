check_PROGRAMS += %D%/request.t
TESTS += %D%/request.t
%C%_request_t_SOURCES = %D%/request.c
%C%_request_t_LDADD = libpx-net.la libpx-wire.la libpx-value.la libpx-loop.la libpx-base.la \
  $(CMOCKA_LIBS)
%C%_request_t_LDFLAGS = $(AM_LDFLAGS) $(PX_WRAP_ALLOC)
check_PROGRAMS += %D%/context.t
TESTS += %D%/context.t
%C%_context_t_SOURCES = %D%/context.c
%C%_context_t_LDADD = libpx-context.la libpx-loop.la libpx-base.la $(CMOCKA_LIBS)
