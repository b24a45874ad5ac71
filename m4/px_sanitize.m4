# PX_SANITIZE: --enable-sanitize=address,undefined | thread.
AC_DEFUN([PX_SANITIZE], [
  AC_ARG_ENABLE([sanitize],
    [AS_HELP_STRING([--enable-sanitize=LIST], [build with -fsanitize=LIST])],
    [], [enable_sanitize=no])
  PX_SANITIZE_CFLAGS=
  AS_CASE([$enable_sanitize],
    [no], [],
    [yes], [PX_SANITIZE_CFLAGS="-fsanitize=address,undefined"],
    [PX_SANITIZE_CFLAGS="-fsanitize=$enable_sanitize"])
  AS_IF([test -n "$PX_SANITIZE_CFLAGS"],
    [PX_SANITIZE_CFLAGS="$PX_SANITIZE_CFLAGS -fno-omit-frame-pointer -fno-sanitize-recover=all"])
  AC_SUBST([PX_SANITIZE_CFLAGS])
  AM_CONDITIONAL([PX_SANITIZED], [test -n "$PX_SANITIZE_CFLAGS"])
])
