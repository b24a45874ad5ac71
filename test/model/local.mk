# The protocol of the segment, its generations, the sleep of the progress thread and an invitation as models for the checker spin.
dist_check_SCRIPTS += %D%/model.sh
TESTS += %D%/model.sh
EXTRA_DIST += %D%/invitation.pml %D%/succession.pml %D%/segment.pml %D%/moves.pml %D%/sleep.pml
px_long_tests += %D%/model.sh
