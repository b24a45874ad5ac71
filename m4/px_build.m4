dnl PX_BUILD_FACTS: what pmix_info says of the build: the options of configure, the day, and the machine's name. Builds that are to be
dnl the same everywhere (SOURCE_DATE_EPOCH) have the day of that, and no machine.
AC_DEFUN([PX_BUILD_FACTS], [
  PX_BUILD_HOST=`uname -n 2>/dev/null | tr -cd 'A-Za-z0-9._-'`
  AS_IF([test "${SOURCE_DATE_EPOCH:+set}" = set], [PX_BUILD_HOST=unknown])
  PX_BUILD_DATE=`date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%d 2>/dev/null | tr -cd '0-9-'`
  PX_BUILD_OPTIONS=`AS_ECHO(["$ac_configure_args"]) | tr -cd 'A-Za-z0-9 .,:_/=+@%^~-'`
  AC_SUBST([PX_BUILD_HOST])
  AC_SUBST([PX_BUILD_DATE])
  AC_SUBST([PX_BUILD_OPTIONS])
])

dnl PX_SUMMARY: what was decided, for who has just configured; pmix_info --config says it of the installed library.
AC_DEFUN([PX_SUMMARY], [
  AS_IF([test $px_probes = 1], [px_with_probes=yes], [px_with_probes=no])
  AC_MSG_NOTICE([$PACKAGE_NAME $PACKAGE_VERSION is configured.
    installed in         $prefix
    declares PMIx        $PX_VERSION_MAJOR.$PX_VERSION_MINOR.$PX_VERSION_RELEASE  (--with-declared-version)
    compiler             $CC $CFLAGS
    assertions           level $enable_debug  (--enable-debug)
    sanitizers           ${PX_SANITIZE_CFLAGS:-none}  (--enable-sanitize)
    hardening            $enable_hardening  (--disable-hardening)
    static probes        $px_with_probes  (--with-probes, systemtap-sdt-dev)
    jemalloc in pmixrun  $px_jemalloc  (--with-jemalloc, libjemalloc-dev)
    unit tests           $have_cmocka  (libcmocka-dev)
  Next: make && make check && make install])
])
