# PX_DEPS: third-party libraries, each with the one folder that may include it.
AC_DEFUN([PX_DEPS], [
  PKG_CHECK_MODULES([LIBEVENT], [libevent_core >= 2.1 libevent_pthreads >= 2.1])
  PKG_CHECK_MODULES([HWLOC], [hwloc >= 2.1])
  PKG_CHECK_MODULES([ZLIB], [zlib >= 1.2])
  PKG_CHECK_MODULES([JEMALLOC], [jemalloc >= 5], [have_jemalloc=yes], [have_jemalloc=no])
  AS_IF([test $have_jemalloc = yes],
    [AC_DEFINE([PX_HAVE_JEMALLOC], [1], [jemalloc headers are present])])
  PKG_CHECK_MODULES([CMOCKA], [cmocka >= 1.1], [have_cmocka=yes], [have_cmocka=no])
  AM_CONDITIONAL([HAVE_JEMALLOC], [test $have_jemalloc = yes])
  AM_CONDITIONAL([HAVE_CMOCKA], [test $have_cmocka = yes])
  AC_SEARCH_LIBS([dlopen], [dl])
  AC_SEARCH_LIBS([pthread_create], [pthread])
])
