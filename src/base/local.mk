noinst_LTLIBRARIES += libpx-base.la
libpx_base_la_SOURCES = %D%/array.c %D%/array.h %D%/assert.h %D%/atomic.h %D%/buf.c %D%/buf.h %D%/attributes.h %D%/bell.h %D%/lent.c %D%/lent.h %D%/library.c %D%/library.h %D%/bytes.h \
  %D%/clock.c %D%/clock.h %D%/complaints.c %D%/complaints.h %D%/env.c %D%/env.h %D%/epoch.c %D%/epoch.h %D%/fork_mark.c %D%/fork_mark.h %D%/hash.c %D%/hash.h %D%/list.h %D%/lock.h %D%/log.c %D%/log.h \
  %D%/map.c %D%/map.h %D%/number.h %D%/output.c %D%/output.h %D%/output_format.c %D%/output_format.h %D%/param.c %D%/param.def %D%/param.h %D%/param_file.c %D%/param_file.h %D%/probe.h \
  %D%/process.c %D%/process.h %D%/quiet_write.c %D%/quiet_write.h %D%/release.c %D%/release.h %D%/seed.c %D%/seed.h %D%/sort.c %D%/sort.h %D%/status.h %D%/terminal.h %D%/thread.c %D%/thread.h %D%/tmpdir.c %D%/tmpdir.h %D%/version.c %D%/version.h
