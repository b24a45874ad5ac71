check_PROGRAMS += %D%/hostile
%C%_hostile_SOURCES = %D%/hostile.c %D%/speak.c %D%/speak.h
TESTS += %D%/hostile.sh
EXTRA_DIST += %D%/hostile.sh
