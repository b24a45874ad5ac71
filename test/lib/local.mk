EXTRA_DIST += %D%/declared.sh %D%/field.sh %D%/page.sh %D%/words.sh %D%/tap.sh %D%/unit
# What every test runs under.
check_PROGRAMS += %D%/bounded
test_lib_bounded_SOURCES = %D%/bounded.c
test_lib_bounded_LDADD =
