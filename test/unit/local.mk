# sources of this folder
include %D%/topo/local.mk
