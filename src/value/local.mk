noinst_LTLIBRARIES += libpx-value.la
libpx_value_la_SOURCES =
libpx_value_la_SOURCES += %D%/frameworks.c %D%/strings.c %D%/strings_gen.c %D%/strings_gen.h
