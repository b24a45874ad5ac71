base_tests = %D%/array.t %D%/buf.t %D%/clock.t %D%/hash.t %D%/list.t %D%/lock.t %D%/log.t %D%/param.t %D%/process.t %D%/seed.t %D%/status.t
check_PROGRAMS += $(base_tests)
TESTS += $(base_tests)
%C%_array_t_SOURCES = %D%/array.c
%C%_array_t_LDADD = libpx-base.la $(CMOCKA_LIBS)
%C%_buf_t_SOURCES = %D%/buf.c
%C%_buf_t_LDADD = libpx-base.la $(CMOCKA_LIBS)
%C%_clock_t_SOURCES = %D%/clock.c
%C%_clock_t_LDADD = libpx-base.la $(CMOCKA_LIBS)
%C%_hash_t_SOURCES = %D%/hash.c
%C%_hash_t_LDADD = libpx-base.la $(CMOCKA_LIBS)
%C%_list_t_SOURCES = %D%/list.c
%C%_list_t_LDADD = libpx-base.la $(CMOCKA_LIBS)
%C%_lock_t_SOURCES = %D%/lock.c
%C%_lock_t_LDADD = libpx-base.la $(CMOCKA_LIBS)
%C%_log_t_SOURCES = %D%/log.c
%C%_log_t_LDADD = libpx-base.la $(CMOCKA_LIBS)
# With the folder it runs in as the system's.
%C%_param_t_SOURCES = %D%/param.c src/base/param.c
%C%_param_t_CPPFLAGS = $(AM_CPPFLAGS) -UPX_SYSCONFDIR -DPX_SYSCONFDIR='"."'
%C%_param_t_LDADD = libpx-base.la $(CMOCKA_LIBS)
%C%_process_t_SOURCES = %D%/process.c
%C%_process_t_LDADD = libpx-base.la $(CMOCKA_LIBS)
%C%_seed_t_SOURCES = %D%/seed.c
%C%_seed_t_LDADD = libpx-base.la $(CMOCKA_LIBS)
%C%_status_t_SOURCES = %D%/status.c
%C%_status_t_LDADD = libpx-base.la $(CMOCKA_LIBS)
