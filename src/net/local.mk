noinst_LTLIBRARIES += libpx-net.la
libpx_net_la_SOURCES = %D%/conn.c %D%/conn.h %D%/conn_priv.h %D%/conn_read.c %D%/conn_write.c %D%/hello.c %D%/hello.h
