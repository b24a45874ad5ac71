# PX_DECLARED_VERSION: the PMIx release whose headers and version macros are declared to consumers.
AC_DEFUN([PX_DECLARED_VERSION], [
  AC_ARG_WITH([declared-version],
    [AS_HELP_STRING([--with-declared-version=4.2|5.0|6.1|7.0],
      [release series that headers, pmix.pc and version macros declare (default 5.0)])],
    [], [with_declared_version=5.0])
  AS_CASE([$with_declared_version],
    [4.2], [PX_VERSION_MAJOR=4 PX_VERSION_MINOR=2 PX_VERSION_RELEASE=2 PX_NUMERIC_VERSION=0x00040202],
    [5.0], [PX_VERSION_MAJOR=5 PX_VERSION_MINOR=0 PX_VERSION_RELEASE=0 PX_NUMERIC_VERSION=0x00050000],
    [6.1], [PX_VERSION_MAJOR=6 PX_VERSION_MINOR=1 PX_VERSION_RELEASE=0 PX_NUMERIC_VERSION=0x00060100],
    [7|7.0], [PX_VERSION_MAJOR=7 PX_VERSION_MINOR=0 PX_VERSION_RELEASE=0 PX_NUMERIC_VERSION=0x00070000],
    [AC_MSG_ERROR([--with-declared-version takes 4.2, 5.0, 6.1 or 7.0, not "$with_declared_version"])])
  AC_SUBST([PX_VERSION_MAJOR])
  AC_SUBST([PX_VERSION_MINOR])
  AC_SUBST([PX_VERSION_RELEASE])
  AC_SUBST([PX_NUMERIC_VERSION])
])
