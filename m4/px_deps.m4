# PX_NEEDS(VARIABLE, MODULE, PACKAGE): pkg-config has to know the module, or configure ends with the name of Debian's package.
AC_DEFUN([PX_NEEDS], [
  PKG_CHECK_MODULES([$1], [$2], [],
    [AC_MSG_ERROR([$2 is needed, and pkg-config does not find it (package $3). If it is elsewhere: PKG_CONFIG_PATH, or $1_CFLAGS and $1_LIBS.])])
])

# PX_DEPS: third-party libraries, each with the one folder that may include it. (libatomic_ops: PX_LOCKFREE.)
AC_DEFUN([PX_DEPS], [
  AS_IF([test -z "$PKG_CONFIG"], [AC_MSG_ERROR([pkg-config is needed (package pkg-config)])])
  PX_NEEDS([HWLOC], [hwloc >= 2.1], [libhwloc-dev])
  PX_HWLOC_NAME
  PX_NEEDS([ZLIB], [zlib >= 1.2], [zlib1g-dev])
  PX_JEMALLOC
  AC_DEFINE_UNQUOTED([PX_HWLOC_VERSION], ["`$PKG_CONFIG --modversion hwloc`"], [The version of hwloc's headers.])
  AC_DEFINE_UNQUOTED([PX_ZLIB_VERSION], ["`$PKG_CONFIG --modversion zlib`"], [The version of zlib.])
  PKG_CHECK_MODULES([CMOCKA], [cmocka >= 1.1], [have_cmocka=yes], [have_cmocka=no])
  AM_CONDITIONAL([HAVE_CMOCKA], [test $have_cmocka = yes])
  AC_SEARCH_LIBS([dlopen], [dl])
  AC_SEARCH_LIBS([pthread_create], [pthread])
])

# PX_HWLOC_NAME: the name by which a program finds the hwloc that is here; the library opens it by
# that name and is not linked with it. hwloc 2 is libhwloc.so.15 everywhere.
AC_DEFUN([PX_HWLOC_NAME], [
  AC_CHECK_TOOL([READELF], [readelf], [:])
  AC_CACHE_CHECK([for the name of hwloc's library], [px_cv_hwloc_soname], [
    px_cv_hwloc_soname=
    px_save_LIBS=$LIBS px_save_CPPFLAGS=$CPPFLAGS
    LIBS="$HWLOC_LIBS $LIBS" CPPFLAGS="$HWLOC_CFLAGS $CPPFLAGS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <hwloc.h>]], [[return hwloc_get_api_version() == 0;]])],
      [px_cv_hwloc_soname=$($READELF -d conftest$EXEEXT | sed -n 's/.*NEEDED.*\@<:@\(libhwloc@<:@^@:>@@:>@*\)\@:>@.*/\1/p')])
    LIBS=$px_save_LIBS CPPFLAGS=$px_save_CPPFLAGS
    : "${px_cv_hwloc_soname:=libhwloc.so.15}"
  ])
  AC_DEFINE_UNQUOTED([PX_HWLOC_SONAME], ["$px_cv_hwloc_soname"], [The name of hwloc's library.])
])

# PX_JEMALLOC: --with-jemalloc=yes|no|auto, the allocator of our programs that live long (src/heap). A sanitizer brings an
# allocator of its own.
AC_DEFUN([PX_JEMALLOC], [
  AC_ARG_WITH([jemalloc],
    [AS_HELP_STRING([--with-jemalloc=yes|no|auto], [pmixrun allocates with jemalloc; auto: if it is here])],
    [], [with_jemalloc=auto])
  AS_IF([test -n "$PX_SANITIZE_CFLAGS"], [with_jemalloc=no])
  px_jemalloc=no
  AS_IF([test "$with_jemalloc" != no], [PKG_CHECK_MODULES([JEMALLOC], [jemalloc >= 5.0], [px_jemalloc=yes], [:])])
  AS_CASE([$with_jemalloc/$px_jemalloc],
    [yes/no], [AC_MSG_ERROR([--with-jemalloc was given, and jemalloc is not here (package libjemalloc-dev)])],
    [*/yes], [AC_DEFINE([PX_HAVE_JEMALLOC], [1], [Programs that live long allocate with jemalloc.])])
])
