noinst_LTLIBRARIES += libpx-loop.la
libpx_loop_la_SOURCES = %D%/cpus.c %D%/cpus.h %D%/loop.c %D%/loop.h %D%/wait.c %D%/wait.h
libpx_loop_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBEVENT_CFLAGS)
