# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# The releases that configure --with-declared-version accepts, for tests that compile with the headers of each: source it.

# releases: one a line.
releases() {
    sed -n 's/^ *\[\([0-9.|]*\)\], \[PX_VERSION_MAJOR=.*/\1/p' "$PX_TOP_SRCDIR/m4/px_version.m4" | sed 's/.*|//'
}

# declare_release RELEASE FILE: writes pmix_version.h as configure would. The compiler's -include FILE takes it in place of
# the one of this build.
declare_release() {
    grep "^ *\[\([0-9.]*|\)*$1\], \[PX_VERSION_MAJOR=" "$PX_TOP_SRCDIR/m4/px_version.m4" | tr '[] ' '\n\n\n' |
        sed -n 's/^\(PX_[A-Z_]*\)=\([0-9x]*\)$/s,@\1@,\2,/p' >"$2.sed"
    sed -f "$2.sed" "$PX_TOP_SRCDIR/include/pmix_version.h.in" >"$2"
    ! grep -q '@' "$2"
}
