noinst_LTLIBRARIES += libpx-api.la
libpx_api_la_SOURCES =
libpx_api_la_SOURCES += %D%/codec_hooks.c %D%/pack.c %D%/regex.c
