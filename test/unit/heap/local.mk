check_PROGRAMS += %D%/heap.t
TESTS += %D%/heap.t
%C%_heap_t_SOURCES = %D%/heap.c
%C%_heap_t_LDADD = libpx-heap.la $(CMOCKA_LIBS)
