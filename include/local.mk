include_HEADERS += %D%/pmix.h %D%/pmix_common.h %D%/pmix_constants.h %D%/pmix_deprecated.h %D%/pmix_keys.h \
  %D%/pmix_macros.h %D%/pmix_server.h %D%/pmix_status.h %D%/pmix_tool.h %D%/pmix_types.h
nodist_include_HEADERS += %D%/pmix_version.h

# Below ${includedir}, where Open MPI 5 looks for it: <pmix/src/include/pmix_frameworks.h>.
pxframeworksdir = $(includedir)/pmix/src/include
pxframeworks_HEADERS = %D%/pmix/src/include/pmix_frameworks.h
