dnl PX_BUILD_FACTS: what pmix_info says of the build: the options of configure and the machine's name, which is left out of
dnl builds that are to be the same everywhere (SOURCE_DATE_EPOCH).
AC_DEFUN([PX_BUILD_FACTS], [
  PX_BUILD_HOST=`uname -n 2>/dev/null | tr -cd 'A-Za-z0-9._-'`
  AS_IF([test "${SOURCE_DATE_EPOCH:+set}" = set], [PX_BUILD_HOST=unknown])
  PX_BUILD_OPTIONS=`AS_ECHO(["$ac_configure_args"]) | tr -cd 'A-Za-z0-9 .,:_/=+@%^~-'`
  AC_SUBST([PX_BUILD_HOST])
  AC_SUBST([PX_BUILD_OPTIONS])
])
