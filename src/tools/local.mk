# sources of this folder
bin_SCRIPTS += %D%/pmixcc
