# sources of this folder
