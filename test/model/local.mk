# The protocol of the segment as a model for the checker spin.
dist_check_SCRIPTS += %D%/model.sh
TESTS += %D%/model.sh
EXTRA_DIST += %D%/segment.pml
px_long_tests += %D%/model.sh
