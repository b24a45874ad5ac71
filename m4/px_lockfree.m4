# PX_LOCKFREE: shared words need native, address-free atomics; an emulation that locks is refused. So is another order of bytes than
# that of segments and of messages: nothing was ever tried there.
AC_DEFUN([PX_LOCKFREE], [
  AC_MSG_CHECKING([that this is a little-endian machine of 64 bits])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !defined(__LP64__)
#error another machine
#endif]], [])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([the library is for little-endian machines of 64 bits])])
  AC_MSG_CHECKING([that libatomic_ops is natively lock-free])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#include <atomic_ops.h>
#if defined(AO_USE_PTHREAD_DEFS) || defined(AO_REQUIRE_CAS)
#error emulated
#endif
#if !defined(AO_HAVE_compare_and_swap_full) || !defined(AO_HAVE_load_acquire) || !defined(AO_HAVE_store_release)
#error missing
#endif
_Static_assert(sizeof(AO_t) == 8, "AO_t");]], [])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([the store needs libatomic_ops with native 64-bit atomics (package libatomic-ops-dev)])])
])
