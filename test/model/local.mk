# The protocol of the segment and its generations as models for the checker spin.
dist_check_SCRIPTS += %D%/model.sh
TESTS += %D%/model.sh
EXTRA_DIST += %D%/segment.pml %D%/moves.pml
px_long_tests += %D%/model.sh
