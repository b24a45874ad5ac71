# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Sphinx's configuration for `make html`. The pages are below the directory that scripts/make-site has laid out.
project = "shmix"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "shmix"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
root_doc = "index"
myst_heading_anchors = 4
highlight_language = "none"
