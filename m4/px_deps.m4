# PX_DEPS: third-party libraries, each with the one folder that may include it.
AC_DEFUN([PX_DEPS], [
  PKG_CHECK_MODULES([LIBEVENT], [libevent_core >= 2.1 libevent_pthreads >= 2.1])
  PKG_CHECK_MODULES([HWLOC], [hwloc >= 2.1])
  PKG_CHECK_MODULES([ZLIB], [zlib >= 1.2])
  PKG_CHECK_MODULES([CMOCKA], [cmocka >= 1.1], [have_cmocka=yes], [have_cmocka=no])
  AM_CONDITIONAL([HAVE_CMOCKA], [test $have_cmocka = yes])
  AC_SEARCH_LIBS([dlopen], [dl])
  AC_SEARCH_LIBS([pthread_create], [pthread])
])
