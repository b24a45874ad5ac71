# The server module of a scripted host, over the public interface only: for pmixrun, the benchmarks and tests.
noinst_LTLIBRARIES += libpx-host.la
libpx_host_la_SOURCES = %D%/fetch.c %D%/host.h %D%/infos.c %D%/one_node.c %D%/scripted_module.c %D%/record.c %D%/reply.c %D%/upcall.h
