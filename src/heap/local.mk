# The allocator of programs that live long. Not for libpmix.
noinst_LTLIBRARIES += libpx-heap.la
libpx_heap_la_SOURCES = %D%/heap.c %D%/heap.h
libpx_heap_la_LIBADD = $(JEMALLOC_LIBS)
