/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* generated from tables/constants.tsv by scripts/gen-constants, do not edit */
#ifndef PMIX_CONSTANTS_H
#define PMIX_CONSTANTS_H

#include <stdint.h>

/* limit */
#define PMIX_MAX_NSLEN                             255
#define PMIX_MAX_KEYLEN                            511

/* rank */
#define PMIX_RANK_VALID                            (UINT32_MAX - 50)
#define PMIX_RANK_LOCAL_PEERS                      (UINT32_MAX - 4)
#define PMIX_RANK_INVALID                          (UINT32_MAX - 3)
#define PMIX_RANK_LOCAL_NODE                       (UINT32_MAX - 2)
#define PMIX_RANK_WILDCARD                         (UINT32_MAX - 1)
#define PMIX_APP_WILDCARD                          UINT32_MAX
#define PMIX_RANK_UNDEF                            UINT32_MAX

/* data type */
#define PMIX_UNDEF                                 0
#define PMIX_BOOL                                  1
#define PMIX_BYTE                                  2
#define PMIX_STRING                                3
#define PMIX_SIZE                                  4
#define PMIX_PID                                   5
#define PMIX_INT                                   6
#define PMIX_INT8                                  7
#define PMIX_INT16                                 8
#define PMIX_INT32                                 9
#define PMIX_INT64                                 10
#define PMIX_UINT                                  11
#define PMIX_UINT8                                 12
#define PMIX_UINT16                                13
#define PMIX_UINT32                                14
#define PMIX_UINT64                                15
#define PMIX_FLOAT                                 16
#define PMIX_DOUBLE                                17
#define PMIX_TIMEVAL                               18
#define PMIX_TIME                                  19
#define PMIX_STATUS                                20
#define PMIX_VALUE                                 21
#define PMIX_PROC                                  22
#define PMIX_APP                                   23
#define PMIX_INFO                                  24
#define PMIX_PDATA                                 25
#define PMIX_BUFFER                                26 /* deprecated */
#define PMIX_BYTE_OBJECT                           27
#define PMIX_KVAL                                  28
#define PMIX_PERSIST                               30
#define PMIX_POINTER                               31
#define PMIX_SCOPE                                 32
#define PMIX_DATA_RANGE                            33
#define PMIX_COMMAND                               34
#define PMIX_INFO_DIRECTIVES                       35
#define PMIX_DATA_TYPE                             36
#define PMIX_PROC_STATE                            37
#define PMIX_PROC_INFO                             38
#define PMIX_DATA_ARRAY                            39
#define PMIX_PROC_RANK                             40
#define PMIX_QUERY                                 41
#define PMIX_COMPRESSED_STRING                     42
#define PMIX_ALLOC_DIRECTIVE                       43
#define PMIX_IOF_CHANNEL                           45
#define PMIX_ENVAR                                 46
#define PMIX_COORD                                 47
#define PMIX_REGATTR                               48
#define PMIX_REGEX                                 49
#define PMIX_JOB_STATE                             50
#define PMIX_LINK_STATE                            51
#define PMIX_PROC_CPUSET                           52
#define PMIX_GEOMETRY                              53
#define PMIX_DEVICE_DIST                           54
#define PMIX_ENDPOINT                              55
#define PMIX_TOPO                                  56
#define PMIX_DEVTYPE                               57
#define PMIX_LOCTYPE                               58
#define PMIX_COMPRESSED_BYTE_OBJECT                59
#define PMIX_PROC_NSPACE                           60
#define PMIX_PROC_STATS                            61
#define PMIX_DISK_STATS                            62
#define PMIX_NET_STATS                             63
#define PMIX_NODE_STATS                            64
#define PMIX_DATA_BUFFER                           65
#define PMIX_STOR_MEDIUM                           66
#define PMIX_STOR_ACCESS                           67
#define PMIX_STOR_PERSIST                          68
#define PMIX_STOR_ACCESS_TYPE                      69
#define PMIX_DEVICE                                70
#define PMIX_RESBLOCK_DIRECTIVE                    71
#define PMIX_RESOURCE_UNIT                         72
#define PMIX_NODE_PID                              73
#define PMIX_REGEX2                                74
#define PMIX_ALLOC_INHERIT                         75
#define PMIX_DATA_TYPE_MAX                         500

/* scope */
#define PMIX_SCOPE_UNDEF                           0
#define PMIX_LOCAL                                 1
#define PMIX_REMOTE                                2
#define PMIX_GLOBAL                                3
#define PMIX_INTERNAL                              4
#define PMIX_DEL_LOCAL                             5
#define PMIX_DEL_REMOTE                            6
#define PMIX_DEL_GLOBAL                            7
#define PMIX_DEL_INTERNAL                          8

/* range */
#define PMIX_RANGE_UNDEF                           0
#define PMIX_RANGE_RM                              1
#define PMIX_RANGE_LOCAL                           2
#define PMIX_RANGE_NAMESPACE                       3
#define PMIX_RANGE_SESSION                         4
#define PMIX_RANGE_GLOBAL                          5
#define PMIX_RANGE_CUSTOM                          6
#define PMIX_RANGE_PROC_LOCAL                      7
#define PMIX_RANGE_INVALID                         255

/* persistence */
#define PMIX_PERSIST_INDEF                         0
#define PMIX_PERSIST_FIRST_READ                    1
#define PMIX_PERSIST_PROC                          2
#define PMIX_PERSIST_APP                           3
#define PMIX_PERSIST_SESSION                       4
#define PMIX_PERSIST_INVALID                       255

/* info directive */
#define PMIX_INFO_REQD                             0x0001
#define PMIX_INFO_ARRAY_END                        0x0002
#define PMIX_INFO_REQD_PROCESSED                   0x0004
#define PMIX_INFO_QUALIFIER                        0x0008
#define PMIX_INFO_PERSISTENT                       0x0010
#define PMIX_INFO_DIR_RESERVED                     0xffff0000

/* proc state */
#define PMIX_PROC_STATE_UNDEF                      0
#define PMIX_PROC_STATE_PREPPED                    1
#define PMIX_PROC_STATE_LAUNCH_UNDERWAY            2
#define PMIX_PROC_STATE_RESTART                    3
#define PMIX_PROC_STATE_TERMINATE                  4
#define PMIX_PROC_STATE_RUNNING                    5
#define PMIX_PROC_STATE_CONNECTED                  6
#define PMIX_PROC_STATE_UNTERMINATED               15
#define PMIX_PROC_STATE_TERMINATED                 20
#define PMIX_PROC_STATE_ERROR                      50
#define PMIX_PROC_STATE_KILLED_BY_CMD              51
#define PMIX_PROC_STATE_ABORTED                    52
#define PMIX_PROC_STATE_FAILED_TO_START            53
#define PMIX_PROC_STATE_ABORTED_BY_SIG             54
#define PMIX_PROC_STATE_TERM_WO_SYNC               55
#define PMIX_PROC_STATE_COMM_FAILED                56
#define PMIX_PROC_STATE_SENSOR_BOUND_EXCEEDED      57
#define PMIX_PROC_STATE_CALLED_ABORT               58
#define PMIX_PROC_STATE_HEARTBEAT_FAILED           59
#define PMIX_PROC_STATE_MIGRATING                  60
#define PMIX_PROC_STATE_CANNOT_RESTART             61
#define PMIX_PROC_STATE_TERM_NON_ZERO              62
#define PMIX_PROC_STATE_FAILED_TO_LAUNCH           63

/* job state */
#define PMIX_JOB_STATE_UNDEF                       0
#define PMIX_JOB_STATE_AWAITING_ALLOC              1
#define PMIX_JOB_STATE_PREPPED                     1 /* deprecated */
#define PMIX_JOB_STATE_LAUNCH_UNDERWAY             2
#define PMIX_JOB_STATE_RUNNING                     3
#define PMIX_JOB_STATE_SUSPENDED                   4
#define PMIX_JOB_STATE_CONNECTED                   5
#define PMIX_JOB_STATE_UNTERMINATED                15
#define PMIX_JOB_STATE_TERMINATED                  20
#define PMIX_JOB_STATE_TERMINATED_WITH_ERROR       50

/* alloc directive */
#define PMIX_ALLOC_NEW                             1
#define PMIX_ALLOC_EXTEND                          2
#define PMIX_ALLOC_RELEASE                         3
#define PMIX_ALLOC_REAQUIRE                        4
#define PMIX_ALLOC_REQ_CANCEL                      5
#define PMIX_ALLOC_EXTERNAL                        128

/* alloc inheritance */
#define PMIX_ALLOC_INHERIT_NONE                    1
#define PMIX_ALLOC_INHERIT_CHILD                   2
#define PMIX_ALLOC_INHERIT_DEFAULT                 3
#define PMIX_ALLOC_INHERIT_CHILD_DEFAULT           4

/* resource block directive */
#define PMIX_RESOURCE_BLOCK_DEFINE                 1
#define PMIX_RESOURCE_BLOCK_EXTEND                 2
#define PMIX_RESOURCE_BLOCK_REMOVE                 3
#define PMIX_RESOURCE_BLOCK_DELETE                 4
#define PMIX_RESOURCE_BLOCK_EXTERNAL               128

/* iof channel */
#define PMIX_FWD_NO_CHANNELS                       0x0000
#define PMIX_FWD_STDIN_CHANNEL                     0x0001
#define PMIX_FWD_STDOUT_CHANNEL                    0x0002
#define PMIX_FWD_STDERR_CHANNEL                    0x0004
#define PMIX_FWD_STDDIAG_CHANNEL                   0x0008
#define PMIX_FWD_ALL_CHANNELS                      0x00ff

/* link state */
#define PMIX_LINK_STATE_UNKNOWN                    0
#define PMIX_LINK_DOWN                             1
#define PMIX_LINK_UP                               2

/* device type */
#define PMIX_DEVTYPE_UNKNOWN                       0x0
#define PMIX_DEVTYPE_BLOCK                         0x1
#define PMIX_DEVTYPE_GPU                           0x2
#define PMIX_DEVTYPE_NETWORK                       0x4
#define PMIX_DEVTYPE_OPENFABRICS                   0x8
#define PMIX_DEVTYPE_DMA                           0x10
#define PMIX_DEVTYPE_COPROC                        0x20
#define PMIX_DEVTYPE_MEMORY                        0x40
#define PMIX_DEVTYPE_CORE                          0x80
#define PMIX_DEVTYPE_HWT                           0x100
#define PMIX_DEVTYPE_CPU                           0x200
#define PMIX_DEVTYPE_NODE                          0x400

/* locality */
#define PMIX_LOCALITY_UNKNOWN                      0x0000
#define PMIX_LOCALITY_SHARE_HWTHREAD               0x0001
#define PMIX_LOCALITY_SHARE_CORE                   0x0002
#define PMIX_LOCALITY_SHARE_L1CACHE                0x0004
#define PMIX_LOCALITY_SHARE_L2CACHE                0x0008
#define PMIX_LOCALITY_SHARE_L3CACHE                0x0010
#define PMIX_LOCALITY_SHARE_PACKAGE                0x0020
#define PMIX_LOCALITY_SHARE_NUMA                   0x0040
#define PMIX_LOCALITY_SHARE_NODE                   0x4000
#define PMIX_LOCALITY_NONLOCAL                     0x8000

/* coord view */
#define PMIX_COORD_VIEW_UNDEF                      0
#define PMIX_COORD_LOGICAL_VIEW                    1
#define PMIX_COORD_PHYSICAL_VIEW                   2

/* bind envelope */
#define PMIX_CPUBIND_PROCESS                       0
#define PMIX_CPUBIND_THREAD                        1

/* storage medium */
#define PMIX_STORAGE_MEDIUM_UNKNOWN                0x1
#define PMIX_STORAGE_MEDIUM_TAPE                   0x2
#define PMIX_STORAGE_MEDIUM_HDD                    0x4
#define PMIX_STORAGE_MEDIUM_SSD                    0x8
#define PMIX_STORAGE_MEDIUM_NVME                   0x10
#define PMIX_STORAGE_MEDIUM_PMEM                   0x20
#define PMIX_STORAGE_MEDIUM_RAM                    0x40

/* storage accessibility */
#define PMIX_STORAGE_ACCESSIBILITY_NODE            0x1
#define PMIX_STORAGE_ACCESSIBILITY_SESSION         0x2
#define PMIX_STORAGE_ACCESSIBILITY_JOB             0x4
#define PMIX_STORAGE_ACCESSIBILITY_RACK            0x8
#define PMIX_STORAGE_ACCESSIBILITY_CLUSTER         0x10
#define PMIX_STORAGE_ACCESSIBILITY_REMOTE          0x20

/* storage persistence */
#define PMIX_STORAGE_PERSISTENCE_TEMPORARY         0x1
#define PMIX_STORAGE_PERSISTENCE_NODE              0x2
#define PMIX_STORAGE_PERSISTENCE_SESSION           0x4
#define PMIX_STORAGE_PERSISTENCE_JOB               0x8
#define PMIX_STORAGE_PERSISTENCE_SCRATCH           0x10
#define PMIX_STORAGE_PERSISTENCE_PROJECT           0x20
#define PMIX_STORAGE_PERSISTENCE_ARCHIVE           0x40

/* storage access type */
#define PMIX_STORAGE_ACCESS_RD                     1
#define PMIX_STORAGE_ACCESS_WR                     2
#define PMIX_STORAGE_ACCESS_RDWR                   3

#endif
