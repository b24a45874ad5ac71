# The protocol of the segment, its generations and the sleep of the progress thread as models for the checker spin.
dist_check_SCRIPTS += %D%/model.sh
TESTS += %D%/model.sh
EXTRA_DIST += %D%/segment.pml %D%/moves.pml %D%/sleep.pml
px_long_tests += %D%/model.sh
