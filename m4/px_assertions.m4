# PX_ASSERTIONS: assertion level. It never changes a layout that crosses a process.
AC_DEFUN([PX_ASSERTIONS], [
  AC_ARG_ENABLE([debug],
    [AS_HELP_STRING([--enable-debug=0..3], [0 none (default), 1 cheap asserts, 2 checks of structures, 3 also whole segments after each publication])],
    [], [enable_debug=0])
  AS_CASE([$enable_debug],
    [no], [enable_debug=0], [yes], [enable_debug=2], [0|1|2|3], [],
    [AC_MSG_ERROR([--enable-debug takes 0, 1, 2 or 3])])
  AC_DEFINE_UNQUOTED([PX_DEBUG], [$enable_debug], [assertion level])
])
