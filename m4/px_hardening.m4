dnl PX_HARDENING: what makes a memory fault harder to use against whoever runs the library. Each flag is probed with the flags
dnl that were given, since fortification wants an optimizing compiler; --disable-hardening leaves them all out. The sanitizers
dnl find more than fortification does, and are disturbed by it. Of control-flow protection on x86 only the part that Linux has for
dnl processes (shadow stacks, which cost nothing): marks for indirect branches would take an instruction of each function that a
dnl read calls. A linker marks a file for shadow stacks if all objects in it are marked, and those of some C libraries (Debian 12) are not,
dnl although nothing in them is against it: -z shstk marks it. CFLAGS come later on the command line, and win.
AC_DEFUN([PX_HARDENING], [
  AC_ARG_ENABLE([hardening],
    [AS_HELP_STRING([--disable-hardening], [without stack protector, fortification, control-flow protection, full RELRO])],
    [], [enable_hardening=yes])
  PX_HARDEN_CFLAGS=
  PX_HARDEN_LDFLAGS=
  AS_IF([test "x$enable_hardening" != xno], [
    px_save_CFLAGS=$CFLAGS
    px_save_LDFLAGS=$LDFLAGS
    px_fortify='-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2'
    AS_IF([test -n "$PX_SANITIZE_CFLAGS"], [px_fortify=])
    for px_flag in -fstack-protector-strong -fcf-protection=return -mbranch-protection=standard "$px_fortify"; do
      CFLAGS="$px_save_CFLAGS -Werror $px_flag"
      AC_MSG_CHECKING([whether $CC takes $px_flag])
      AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <string.h>]], [[char text[8]; return (int) strlen(strcpy(text, ""));]])],
        [AC_MSG_RESULT([yes]); PX_HARDEN_CFLAGS="$PX_HARDEN_CFLAGS $px_flag"],
        [AC_MSG_RESULT([no])])
    done
    CFLAGS=$px_save_CFLAGS
    AS_CASE([$PX_HARDEN_CFLAGS], [*-fcf-protection*], [px_shstk=-Wl,-z,shstk], [px_shstk=])
    for px_flag in -Wl,-z,relro -Wl,-z,now $px_shstk; do
      LDFLAGS="$px_save_LDFLAGS $px_flag"
      AC_MSG_CHECKING([whether the linker takes $px_flag])
      AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
        [AC_MSG_RESULT([yes]); PX_HARDEN_LDFLAGS="$PX_HARDEN_LDFLAGS $px_flag"],
        [AC_MSG_RESULT([no])])
    done
    LDFLAGS=$px_save_LDFLAGS
  ])
  AC_SUBST([PX_HARDEN_CFLAGS])
  AC_SUBST([PX_HARDEN_LDFLAGS])
])
