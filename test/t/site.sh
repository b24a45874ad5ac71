#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# `make html` makes a site of all pages, without a warning; in it each link to a file, and to a place in one, leads there.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
[ -z "${PX_SANITIZED:-}" ] || skip_all "nothing of this build is looked at"
sh "$PX_TOP_SRCDIR/scripts/make-site" --can 2>"$SCRATCH/missing" || skip_all "$(cat "$SCRATCH/missing")"
[ -d "$PX_TOP_BUILDDIR/man/man3" ] || skip_all 'the manual is not made'
check 'the site is made, without a warning' limit 900 sh "$PX_TOP_SRCDIR/scripts/make-site" "$PX_TOP_SRCDIR" "$PX_TOP_BUILDDIR/man" "$SCRATCH"
cd "$SCRATCH/html" || { finish; }

cat >"$SCRATCH/links.py" <<'PYTHON'
import html.parser, pathlib, sys, urllib.parse

class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.names, self.links = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or (tag, name) == ("a", "name"):
                self.names.add(value)
            elif name in ("href", "src") and value:
                self.links.add(value)

top = pathlib.Path(sys.argv[1]).resolve()
pages = {path: Page(path.read_text()) for path in top.rglob("*.html")}
for path, page in pages.items():
    for link in sorted(page.links):
        url = urllib.parse.urlsplit(link)
        if url.scheme or url.netloc:
            continue
        to = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
        if not to.is_file():
            print(f"{path.relative_to(top)}: {link} is not there")
        elif url.fragment and to in pages and urllib.parse.unquote(url.fragment) not in pages[to].names:
            print(f"{path.relative_to(top)}: {link} names no place")
PYTHON
dead() { $(sed -n '1s/^#!//p' "$(command -v sphinx-build)") "$SCRATCH/links.py" "$1"; }
same 'no link is dead' '' "$(dead .)"
for page in README docs/tools docs/decisions/0001-generated-files-are-committed man/PMIx_Get.3 man/pmixrun.1; do
    check "$page has its text" grep -q '<article' "$page.html"
done
for reader in 'MPI user' Administrator 'Author of a host' 'Author of a tool' 'Author of an MPI library' Contributor; do
    check "the navigation has a part: $reader" grep -q "caption-text\">$reader<" docs/tools.html
done
cp man/PMIx_Get.3.html man/broken.html
sed -i 's/href="PMIx_Finalize.3.html"/href="PMIx_Finalise.3.html"/; s/href="#DESCRIPTION"/href="#DESCRIPTON"/' man/broken.html
check 'a dead link is found' sh -c 'test "$1" -ge 2' sh "$(dead . | grep -c '^man/broken')"
finish
