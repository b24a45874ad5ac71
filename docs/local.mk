# The pages for who uses what is installed, in $(docdir), at the places that they have in the sources, so that links between them
# hold. HACKING.md and the pages of bench and test are for who has the sources.
px_pages_top = README.md NEWS.md SECURITY.md LICENSE
px_pages_folders = docs docs/decisions docs/img

.PHONY: install-pages uninstall-pages print-docdir
install-data-local: install-pages
install-pages:
	$(MKDIR_P) '$(DESTDIR)$(docdir)'
	for page in $(px_pages_top); do $(INSTALL_DATA) '$(srcdir)'/$$page '$(DESTDIR)$(docdir)' || exit 1; done
	for folder in $(px_pages_folders); do \
	  $(MKDIR_P) '$(DESTDIR)$(docdir)'/$$folder || exit 1; \
	  for page in '$(srcdir)'/$$folder/*.md '$(srcdir)'/$$folder/*.svg; do \
	    test ! -e "$$page" || $(INSTALL_DATA) "$$page" '$(DESTDIR)$(docdir)'/$$folder || exit 1; \
	  done; \
	done
uninstall-local: uninstall-pages
uninstall-pages:
	for page in $(px_pages_top); do rm -f '$(DESTDIR)$(docdir)'/$$page; done
	for folder in $(px_pages_folders); do \
	  for page in '$(srcdir)'/$$folder/*.md '$(srcdir)'/$$folder/*.svg; do \
	    rm -f '$(DESTDIR)$(docdir)'/$$folder/"$${page##*/}"; \
	  done; \
	done
	cd '$(DESTDIR)$(docdir)' 2>/dev/null && rmdir docs/decisions docs/img docs 2>/dev/null || :
	rmdir '$(DESTDIR)$(docdir)' 2>/dev/null || :

# For test/t/install.sh.
print-docdir:
	@echo '$(docdir)'
