#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# What packagers use: CMake finds what is installed, the recipes are well formed. With PX_LONG: the tarball is the same twice;
# Debian's packages are built, and tried in a copy of this system, of which nothing stays: installed, an MPI program under mpirun and
# Slurm's steps have our library; removed, the distribution's.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
[ -z "${PX_SANITIZED:-}" ] || skip_all 'programs that are built here would need the sanitizer'
unset MAKEFLAGS MFLAGS DESTDIR LD_LIBRARY_PATH PKG_CONFIG_PATH
contrib=$PX_TOP_SRCDIR/contrib

# --- CMake, with files as configure --prefix would have made them
prefix=$SCRATCH/opt/shmix
installed() {
    at=$(sed -n 's/^prefix = //p' "$PX_TOP_BUILDDIR/Makefile")
    make -s -C "$PX_TOP_BUILDDIR" DESTDIR="$SCRATCH/dest" install-libLTLIBRARIES install-includeHEADERS \
        install-nobase_includeHEADERS install-nodist_includeHEADERS install-cmakeDATA || return 1
    mkdir -p "$SCRATCH/opt" && mv "$SCRATCH/dest$at" "$prefix" || return 1
    sed "s|^S\\[\"prefix\"\\]=.*|S[\"prefix\"]=\"$prefix\"|" "$PX_TOP_BUILDDIR/config.status" >"$SCRATCH/config.status"
    for file in "$prefix"/lib/cmake/pmix/*.cmake; do
        (cd "$SCRATCH" && sh config.status --file="$file:$PX_TOP_SRCDIR/${file##*/}.in") || return 1
    done
}
if command -v cmake >/dev/null 2>&1; then
    check 'it is installed' installed
    mkdir "$SCRATCH/project"
    cp "$PX_TOP_SRCDIR/examples/hello.c" "$SCRATCH/project"
    cat >"$SCRATCH/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.10)
project(hello C)
find_package(pmix 4.2 REQUIRED)
add_executable(hello hello.c)
target_link_libraries(hello PMIx::pmix)
END
    check 'CMake finds it' cmake -S "$SCRATCH/project" -B "$SCRATCH/project/build" -DCMAKE_PREFIX_PATH="$prefix"
    check 'and builds with it' cmake --build "$SCRATCH/project/build"
    limit 60 "$PX_TOP_BUILDDIR/src/tools/pmixrun" -n 2 "$SCRATCH/project/build/hello" >"$SCRATCH/out" 2>&1
    same 'a program that runs' '0 2' "$? $(grep -c '^rank [01] of 2 on ' "$SCRATCH/out")"
    sed -i 's/pmix 4\.2/pmix 9.0/' "$SCRATCH/project/CMakeLists.txt"
    ! cmake -S "$SCRATCH/project" -B "$SCRATCH/project/other" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null 2>&1
    report $? 'one that wants a newer release is told'
else
    skip 'CMake' 'no cmake on this machine'
fi

# --- recipes
if command -v python3 >/dev/null 2>&1; then
    # The recipe with as much of Spack as it uses: prints what it gives to configure, for each value of each variant.
    cat >"$SCRATCH/recipe.py" <<'END'
import sys, types
package, variants = types.ModuleType("spack.package"), {}
class AutotoolsPackage: pass
class Chosen(dict):
    def satisfies(self, text): return self[text[1:]].value == (text[0] == "+")
    variants = property(lambda self: self)
def variant(name, default, values=(True, False), **more): variants[name] = values
package.AutotoolsPackage, package.variant, package.Executable = AutotoolsPackage, variant, lambda path: lambda *arguments: print("runs", path)
for directive in "license", "version", "depends_on": setattr(package, directive, lambda *arguments, **more: None)
sys.modules["spack"], sys.modules["spack.package"] = types.ModuleType("spack"), package
recipe = {}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), recipe)
shmix = recipe["Shmix"]()
shmix.autoreconf(None, None)
for name, values in variants.items():
    for value in values:
        shmix.spec = Chosen({other: types.SimpleNamespace(value=some[-1]) for other, some in variants.items()})
        shmix.spec[name].value = value
        print(*shmix.configure_args(), sep="\n")
END
    check "Spack's recipe can be read and run" python3 "$SCRATCH/recipe.py" "$contrib/spack/package.py"
    python3 "$SCRATCH/recipe.py" "$contrib/spack/package.py" 2>/dev/null | sort -u >"$SCRATCH/recipe"
    known() { sed -n '/^--/{s/[=].*//p;t;p}' "$SCRATCH/recipe" | sort -u | while read -r option; do "$PX_TOP_SRCDIR/configure" --help | grep -q -e "$option[=[ ]" || echo "$option"; done; }
    same 'configure knows what it says' '--enable-debug --with-declared-version;' "$(sed -n 's/^\(--[^=]*\).*/\1/p' "$SCRATCH/recipe" | sort -u | tr '\n' ' ' | sed 's/ $//');$(known)"
    same 'and can be made from a checkout' 'runs ./autogen.sh' "$(grep '^runs' "$SCRATCH/recipe")"
fi
if command -v rpmspec >/dev/null 2>&1; then
    check 'the spec, too' rpmspec -q --srpm "$contrib/shmix.spec"
else
    skip 'the spec, too' 'no rpmspec on this machine'
fi
if command -v rpmlint >/dev/null 2>&1; then
    rpmlint "$contrib/shmix.spec" >"$SCRATCH/rpmlint" 2>&1
    same 'rpmlint has no errors' '' "$(grep ' E: ' "$SCRATCH/rpmlint")"
else
    skip 'rpmlint has no errors' 'no rpmlint on this machine'
fi
same 'all speak of this release' "$(sed -n 's/^PACKAGE_VERSION = //p' "$PX_TOP_BUILDDIR/Makefile")" \
    "$(sed -n 's/^Version: *//p' "$contrib/shmix.spec")"
same "Debian's, too" "$(sed -n 's/^Version: *//p' "$contrib/shmix.spec")" \
    "$(sed -n '1s/.*(\(.*\)-[0-9]*).*/\1/p' "$contrib/debian/changelog")"
# The formal part of the maintainer scripts: what is added is what is removed.
names() { sed -n 's/^ *for name in \(.*\); do/\1/p; s/.*\(--divert [^ ]*\).*/\1/p' "$contrib/debian/divert.$1"; }
check 'something is diverted' [ -n "$(names preinst)" ]
same 'what is diverted comes back' "$(names preinst)" "$(names postrm)"

[ -n "${PX_LONG:-}" ] || { skip 'packages are built and tried' 'make check-long does'; finish; }

# --- the tarball
dist() { make -s -C "$PX_TOP_BUILDDIR" dist distdir="shmix-once" >"$SCRATCH/dist.out" 2>&1 && mv "$PX_TOP_BUILDDIR/shmix-once.tar.xz" "$SCRATCH/$1"; }
check 'a tarball is made' dist one
check 'and again' dist two
check 'the same' cmp "$SCRATCH/one" "$SCRATCH/two"

# --- Debian
command -v dpkg-buildpackage >/dev/null 2>&1 && command -v dh >/dev/null 2>&1 || { skip 'packages' 'no debhelper on this machine'; finish; }
[ "$(id -u)" = 0 ] || { skip 'packages' 'only root can make a copy of the system'; finish; }
check 'the packages are built' limit 1500 "$contrib/debian/build" "$SCRATCH/debs"
same 'four' 4 "$(find "$SCRATCH/debs" -name '*.deb' ! -name '*dbgsym*' | wc -l)"
if command -v lintian >/dev/null 2>&1; then
    lintian --allow-root --fail-on error "$SCRATCH"/debs/*.deb >"$SCRATCH/lintian" 2>&1
    same 'lintian has no errors' '' "$(grep '^E:' "$SCRATCH/lintian")"
else
    skip 'lintian has no errors' 'no lintian on this machine'
fi
# A copy of this system: an overlay whose writable part is in memory. Its mounts are in a mount namespace of their own, which ends
# with its last process; all processes end with the first one of their PID namespace.
cat >"$SCRATCH/try" <<'END'
set -e
over=$1/over root=$1/over/root
mkdir "$over"
mount -t tmpfs none "$over"
trap 'umount -R "$over"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$over/upper" "$over/work" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$over/upper,workdir=$over/work" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys" # with the control groups that slurmd wants
mount --rbind /dev "$root/dev"
mkdir "$root/tried" # whatever file system $1 is on
cp -r "$1/debs" "$1/inside" "$1/tree" "$root/tried"
chroot "$root" sh /tried/inside
END
in_copy() { limit 900 unshare --mount --propagation private --pid --fork --kill-child sh "$SCRATCH/try" "$SCRATCH"; }
cat >"$SCRATCH/inside" <<'END'
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
cd /tried && mpicc -O1 -o ring tree/test/interop/ring.c || exit 1
stock=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/pmix2/lib
job() { RING_MAPS=1 timeout 100 mpirun --oversubscribe -n 2 ./ring; }
look() { echo "$1: $(job | sed -n 's/^library.*\(libpmix[^ ]*\)$/\1/p' | sort -u) $(readlink -f $stock/libpmix.so.2)"; }
slurm() { # slurm WHEN FOLDER: a job of Slurm, whose plugin has to have a library of that folder
    PX_TOP_SRCDIR=/tried/tree PX_TOP_BUILDDIR=/tried PX_SLURM_LIBRARY=$2 sh tree/test/interop/slurm.sh >slurm.log 2>&1
    echo "slurm $1: $? $(grep -c '^ok' slurm.log) $(sed -n 's/.*# SKIP/skipped:/p' slurm.log | tail -n 1)"
    grep -A 6 '^not ok' slurm.log
}
dpkg -P libpmix-bin >/dev/null 2>&1
look before
dpkg -i $(ls debs/*.deb | grep -v dbgsym) >install.log 2>&1 || { cat install.log; exit 1; }
look installed
slurm installed /shmix
pmixrun -n 2 true && echo "pmixrun runs"
[ -e /usr/share/man/man3/PMIx_Get.3.gz ] && echo "the manual is there"
dpkg -r pmix-shmix-bin pmix-shmix-doc libpmix-shmix-dev libpmix2-shmix >remove.log 2>&1 || { cat remove.log; exit 1; }
look removed
slurm removed /pmix2/lib
dpkg-divert --list | grep shmix
END
mkdir -p "$SCRATCH/tree/test/interop" "$SCRATCH/tree/test/lib"
cp "$PX_TOP_SRCDIR/test/interop/slurm.sh" "$PX_TOP_SRCDIR/test/interop/ring.c" "$SCRATCH/tree/test/interop"
cp "$PX_TOP_SRCDIR/test/lib/tap.sh" "$SCRATCH/tree/test/lib"
if ! command -v mpirun >/dev/null 2>&1 || ! unshare --mount --pid --fork true 2>/dev/null; then
    skip 'they are tried' 'no Open MPI, or no mount namespace'
    finish
fi
in_copy >"$SCRATCH/tried" 2>&1
sed 's/^/# /' "$SCRATCH/tried"
# Ours has another version behind the name than the distribution's, and another folder.
file=$(sed -n 's/^installed: .* .*\/shmix\/\(libpmix.*\)$/\1/p' "$SCRATCH/tried")
same 'an MPI program and Slurm have it while it is installed' "$file" "$(sed -n 's/^installed: \([^ ]*\) .*/\1/p' "$SCRATCH/tried")"
[ -n "$file" ] || report 1 'there is a name for it'
same 'commands and pages are there' 2 "$(grep -c -e '^pmixrun runs' -e '^the manual is there' "$SCRATCH/tried")"
same 'then all is as before' "$(sed -n 's/^before: //p' "$SCRATCH/tried")" "$(sed -n 's/^removed: //p' "$SCRATCH/tried")"
same 'no diversion is left' '' "$(sed -n '/^removed/,$p' "$SCRATCH/tried" | sed 1d | grep -v '^slurm ')"
for when in installed removed; do
    said=$(sed -n "s/^slurm $when: //p" "$SCRATCH/tried")
    case $said in
    *skipped:*) skip "Slurm with it $when" "${said#*skipped: }" ;;
    *) same "Slurm with it $when" '0 4 ' "$said" ;;
    esac
done
finish
