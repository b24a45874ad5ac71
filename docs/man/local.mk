# The manual: section 3 from the headers' comments, the rest from the texts here, with lists from the sources. Made by awk,
# so that nothing else is needed; scripts/check-manual has them read by mandoc and man where those are.
px_man_date = November 22, 2026
px_man_in = %D%/pmixrun.1.in %D%/pmix_info.1.in %D%/pmix-shm.1.in %D%/pmixcc.1.in %D%/palloc.1.in %D%/pattrs.1.in %D%/pctrl.1.in %D%/pevent.1.in \
  %D%/plookup.1.in %D%/pps.1.in %D%/pquery.1.in %D%/pmix-mca-params.conf.5.in \
  %D%/pmix-rendezvous.5.in %D%/pmix.7.in
px_man_headers = include/pmix.h include/pmix_server.h include/pmix_tool.h include/pmix_deprecated.h
px_man_from = $(px_man_headers) tables/functions.tsv tables/attributes.tsv tables/standard.tsv src/value/directives.def \
  src/base/param.def src/tools/run/options.c src/tools/info/pmix_info.c src/tools/shm/pmix_shm.c src/tools/field/field.c \
  src/tools/field/palloc.c src/tools/field/pattrs.c src/tools/field/pctrl.c src/tools/field/pevent.c src/tools/field/plookup.c src/tools/field/pps.c src/tools/field/pquery.c
px_man_scripts = scripts/make-manual scripts/man.awk scripts/gen-man-calls scripts/gen-man-pages
EXTRA_DIST += $(px_man_scripts) tables/standard.tsv

man/stamp: $(px_man_scripts) scripts/list-directives $(px_man_from) $(px_man_in)
	$(AM_V_GEN)rm -f $@ && AWK='$(AWK)' $(SHELL) $(top_srcdir)/scripts/make-manual $(top_srcdir) man '$(px_man_date)' '$(sysconfdir)' \
	  && touch $@

.PHONY: install-manual uninstall-manual clean-manual
all-local: man/stamp
install-data-local: install-manual
install-manual: man/stamp
	for s in 1 3 5 7; do \
	  $(MKDIR_P) "$(DESTDIR)$(mandir)/man$$s" && $(INSTALL_DATA) man/man$$s/* "$(DESTDIR)$(mandir)/man$$s" || exit 1; \
	done
uninstall-local: uninstall-manual
uninstall-manual: man/stamp
	for page in man/man?/*; do rm -f "$(DESTDIR)$(mandir)/$${page#man/}"; done
clean-local: clean-manual
clean-manual:
	rm -rf man

# Readers of the tarball have the pages without a build; a build makes its own, for its directories.
dist-hook: man/stamp
	cp -R man $(distdir)/man && rm -f $(distdir)/man/stamp
