EXTRA_DIST += %D%/tap.sh %D%/unit
