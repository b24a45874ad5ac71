# PX_PROBES: static probes (src/base/probe.h), if there is <sys/sdt.h> of systemtap-sdt-dev.
AC_DEFUN([PX_PROBES], [
  AC_ARG_WITH([probes],
    [AS_HELP_STRING([--with-probes=yes|no|auto], [static probes for bpftrace, perf and SystemTap; auto (default): if there is <sys/sdt.h>])],
    [], [with_probes=auto])
  AS_CASE([$with_probes],
    [yes|no|auto], [],
    [AC_MSG_ERROR([--with-probes takes yes, no or auto])])
  px_probes=0
  AS_IF([test $with_probes != no],
    [AC_CHECK_HEADER([sys/sdt.h], [px_probes=1],
      [AS_IF([test $with_probes = yes], [AC_MSG_ERROR([--with-probes needs <sys/sdt.h>, of systemtap-sdt-dev])])])])
  AC_DEFINE_UNQUOTED([PX_WITH_PROBES], [$px_probes], [1: static probes are compiled in])
])
