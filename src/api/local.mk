noinst_LTLIBRARIES += libpx-api.la
libpx_api_la_SOURCES =
libpx_api_la_SOURCES += %D%/codec_hooks.c %D%/codec_hooks.h %D%/pack.c %D%/regex.c
libpx_api_la_SOURCES += %D%/api.c %D%/api.h %D%/call.c %D%/call.h %D%/data.c %D%/debug_stop.c %D%/debug_stop.h %D%/event.c %D%/fabric.c %D%/frameworks.c %D%/group.c %D%/init.c %D%/iof.c %D%/launcher.c %D%/launcher.h \
  %D%/process.c %D%/publish.c %D%/query.c %D%/security.c %D%/sync.c %D%/tool.c %D%/topo.c
libpx_api_la_SOURCES += %D%/server_init.c %D%/server_launch.c %D%/server_register.c
