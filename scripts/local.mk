# The rules of the house, checked like everything else.
px_house_checks = %D%/check-house %D%/check-size %D%/check-headers %D%/check-symbols %D%/check-tests
dist_check_SCRIPTS += $(px_house_checks)
TESTS += $(px_house_checks)
EXTRA_DIST += %D%/check-layers %D%/layers.conf %D%/size.conf %D%/tests.conf

# For check-tests.
.PHONY: print-tests
print-tests:
	@echo $(TESTS)
