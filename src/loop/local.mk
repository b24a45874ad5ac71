noinst_LTLIBRARIES += libpx-loop.la
libpx_loop_la_SOURCES = %D%/after.c %D%/after.h %D%/cpus.c %D%/cpus.h %D%/loop.c %D%/loop.h %D%/wait.c %D%/wait.h %D%/watch.c %D%/watch.h
libpx_loop_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBEVENT_CFLAGS)
