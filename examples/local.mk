# Public headers only, as any program would be built; each is run by test/t/examples.sh.
examples_programs = %D%/hello %D%/put_get %D%/fence %D%/publish %D%/event %D%/host
noinst_PROGRAMS += $(examples_programs)
examples_cppflags = -I$(top_builddir)/include -I$(top_srcdir)/include

examples_hello_SOURCES = %D%/hello.c
examples_hello_CPPFLAGS = $(examples_cppflags)
examples_hello_LDADD = libpmix.la
examples_put_get_SOURCES = %D%/put_get.c
examples_put_get_CPPFLAGS = $(examples_cppflags)
examples_put_get_LDADD = libpmix.la
examples_fence_SOURCES = %D%/fence.c
examples_fence_CPPFLAGS = $(examples_cppflags)
examples_fence_LDADD = libpmix.la
examples_publish_SOURCES = %D%/publish.c
examples_publish_CPPFLAGS = $(examples_cppflags)
examples_publish_LDADD = libpmix.la
examples_event_SOURCES = %D%/event.c
examples_event_CPPFLAGS = $(examples_cppflags)
examples_event_LDADD = libpmix.la
examples_host_SOURCES = %D%/host.c
examples_host_CPPFLAGS = $(examples_cppflags)
examples_host_LDADD = libpmix.la
