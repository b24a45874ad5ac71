# PX_WARNINGS: each warning flag is probed; --enable-devel makes them errors. Two warnings of clang are not wanted: about members that
# an initializer leaves out, which are zeros, and about functions that only assertions call.
AC_DEFUN([PX_WARNINGS], [
  AC_ARG_ENABLE([devel], [AS_HELP_STRING([--enable-devel], [warnings are errors])],
    [], [enable_devel=no])
  PX_WARN_CFLAGS=
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#ifndef __clang__
#error another compiler
#endif]], [])],
    [px_clang_flags='-Wno-missing-field-initializers -Wno-unneeded-internal-declaration'],
    [px_clang_flags=])
  px_save_CFLAGS=$CFLAGS
  for px_flag in -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes \
                 -Wvla -Wformat=2 -Wundef $px_clang_flags; do
    CFLAGS="$px_save_CFLAGS -Werror $px_flag"
    AC_MSG_CHECKING([whether $CC takes $px_flag])
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
      [AC_MSG_RESULT([yes]); PX_WARN_CFLAGS="$PX_WARN_CFLAGS $px_flag"],
      [AC_MSG_RESULT([no])])
  done
  CFLAGS=$px_save_CFLAGS
  AS_IF([test "x$enable_devel" = xyes], [PX_WARN_CFLAGS="$PX_WARN_CFLAGS -Werror"])
  AC_SUBST([PX_WARN_CFLAGS])
])
