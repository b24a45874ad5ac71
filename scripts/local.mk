# The rules of the house, checked like everything else.
px_house_checks = %D%/check-house %D%/check-format %D%/check-size %D%/check-links %D%/check-headers %D%/check-symbols %D%/check-tests %D%/check-conformance %D%/check-pairs %D%/check-orders \
  %D%/check-directives %D%/check-names %D%/check-dist %D%/check-manual
dist_check_SCRIPTS += $(px_house_checks)
TESTS += $(px_house_checks)
EXTRA_DIST += %D%/measure %D%/make-site %D%/gen-calls %D%/gen-field-names %D%/gen-meanings %D%/list-directives %D%/gen-conformance %D%/pack-conform %D%/run-conformance %D%/check-layers %D%/check-cross %D%/cross.conf %D%/check-tsan %D%/layers.conf %D%/tests.conf

# Tests that have a long form, in it; each fuzzer for ten minutes under the address and the undefined-behaviour
# sanitizer, and for ten under the memory sanitizer; the thread sanitizer; other machines; the tarball. Six hours, and for some gigabytes.
.PHONY: check-long
check-long:
	PX_LONG=1 $(MAKE) check TESTS='$(px_long_tests)'
	$(MAKE) fuzz FUZZ_SECONDS=600
	$(MAKE) fuzz FUZZ_SECONDS=600 FUZZ_SANITIZE=memory FUZZ_OUT=test/fuzz/memory
	$(MAKE) check-tsan
	$(MAKE) check-cross
	$(MAKE) distcheck

# A site of all pages and the manual, site/html/index.html, for who has Sphinx.
.PHONY: html-local clean-site
html-local: man/stamp
	$(SHELL) $(top_srcdir)/scripts/make-site $(top_srcdir) man site && echo 'made: site/html/index.html'
clean-local: clean-site
clean-site:
	rm -rf site

# For check-tests.
.PHONY: print-tests
print-tests:
	@echo $(TESTS)

# For check-dist.
.PHONY: print-dist
print-dist:
	@printf '%s\n' $(DISTFILES)

# For check-tsan.
.PHONY: print-programs
print-programs:
	@echo $(check_PROGRAMS)

# All that runs clients and servers, with PMIX_MCA_gds=hash: no segment, the same answers by messages. test/conform runs
# in both forms by itself; budgets are those of the segment.
.PHONY: check-messages
check-messages: all-am $(check_PROGRAMS)
	PMIX_MCA_gds=hash $(MAKE) check-TESTS TESTS="$$($(MAKE) -s print-tests | tr ' ' '\n' | \
	  grep -E '^test/(hostile|interop|t)/' | grep -v '/quickstart' | tr '\n' ' ')"

# The unit tests of the layers in which threads meet, and jobs of processes with many threads, under the thread sanitizer, in a build of their own;
# or only TSAN_TESTS.
.PHONY: check-tsan
check-tsan:
	$(SHELL) $(top_srcdir)/scripts/check-tsan $(abs_top_builddir)/tsan $(TSAN_TESTS)

# Other machines: built, and tested under an emulator; or only CROSS_MACHINES.
.PHONY: check-cross
CROSS_MACHINES = aarch64 ppc64el riscv64
check-cross:
	for machine in $(CROSS_MACHINES); do \
	  $(SHELL) $(top_srcdir)/scripts/check-cross $$machine $(abs_top_builddir)/cross-$$machine || exit 1; \
	done
