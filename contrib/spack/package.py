# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
"""A recipe for Spack. In a repository of one's own: packages/shmix/package.py, with the place of the sources in `git` or
`spack develop shmix@main`. For the packages that want it: packages: pmix: buildable: false, externals with its prefix."""

from spack.package import *


class Shmix(AutotoolsPackage):
    """PMIx library whose reads are loads: in place of OpenPMIx, with its protocol and its names."""

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("declared", default="5.0", values=("4.2", "5.0", "6.1", "7.0"), multi=False,
            description="the release that the headers claim")
    variant("debug", default=False, description="assertions")

    depends_on("c", type="build")
    depends_on("autoconf", type="build")
    depends_on("automake", type="build")
    depends_on("libtool", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2:")
    depends_on("jemalloc")
    depends_on("zlib-api")
    depends_on("libatomic-ops", type="build")

    def autoreconf(self, spec, prefix):
        Executable("./autogen.sh")()

    def configure_args(self):
        args = ["--with-declared-version=" + self.spec.variants["declared"].value]
        if self.spec.satisfies("+debug"):
            args.append("--enable-debug=2")
        return args
