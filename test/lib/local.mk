EXTRA_DIST += %D%/tap.sh
