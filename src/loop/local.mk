noinst_LTLIBRARIES += libpx-loop.la
libpx_loop_la_SOURCES = %D%/after.c %D%/after.h %D%/callers.c %D%/callers.h %D%/cpus.c %D%/cpus.h %D%/loan.c %D%/loan.h %D%/loop.c %D%/loop.h %D%/poll.c %D%/poll.h \
  %D%/timers.c %D%/timers.h %D%/turn.h %D%/wait.c %D%/wait.h %D%/watch.c %D%/watch.h
