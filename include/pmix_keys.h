/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* generated from tables/attributes.tsv by scripts/gen-keys, do not edit */
#ifndef PMIX_KEYS_H
#define PMIX_KEYS_H

#include "pmix_version.h"

/*
 * Keys that the library and its host reserve: attributes of calls and of stored information.
 * The note behind each is the data type of its value (UNDEF: several types), then the data realm
 * where it is stored, if it is stored; "old" marks deprecated names.
 */

#define PMIX_ABORT_NON_ZERO_TERM               "pmix.abnz"              /* BOOL */
#define PMIX_ACCESS_GRPIDS                     "pmix.agids"             /* DATA_ARRAY */
#define PMIX_ACCESS_PERMISSIONS                "pmix.aperms"            /* DATA_ARRAY */
#define PMIX_ACCESS_USERIDS                    "pmix.auids"             /* DATA_ARRAY */
#define PMIX_ADD_ENVAR                         "pmix.envar.add"         /* ENVAR */
#define PMIX_ADD_HOST                          "pmix.addhost"           /* STRING */
#define PMIX_ADD_HOSTFILE                      "pmix.addhostfile"       /* STRING */
#define PMIX_AGGREGATE_HELP                    "pmix.agg.help"          /* BOOL */
#define PMIX_ALLOCATED_NODELIST                "pmix.alist"             /* STRING, job */
#define PMIX_ALLOC_BANDWIDTH                   "pmix.alloc.bw"          /* FLOAT */
#define PMIX_ALLOC_BEGIN                       "pmix.alloc.begin"       /* STRING */
#define PMIX_ALLOC_CHILD_SEP                   "pmix.alloc.sep"         /* BOOL */
#define PMIX_ALLOC_CPU_LIST                    "pmix.alloc.cpulist"     /* STRING */
#define PMIX_ALLOC_DEPENDENCY                  "pmix.alloc.depend"      /* STRING */
#define PMIX_ALLOC_EXCLUDE                     "pmix.alloc.exclude"     /* STRING */
#define PMIX_ALLOC_FABRIC                      "pmix.alloc.net"         /* DATA_ARRAY */
#define PMIX_ALLOC_FABRIC_ENDPTS               "pmix.alloc.endpts"      /* SIZE */
#define PMIX_ALLOC_FABRIC_ENDPTS_NODE          "pmix.alloc.endpts.nd"   /* SIZE */
#define PMIX_ALLOC_FABRIC_ID                   "pmix.alloc.netid"       /* STRING */
#define PMIX_ALLOC_FABRIC_PLANE                "pmix.alloc.netplane"    /* STRING */
#define PMIX_ALLOC_FABRIC_QOS                  "pmix.alloc.netqos"      /* STRING */
#define PMIX_ALLOC_FABRIC_SEC_KEY              "pmix.alloc.nsec"        /* BYTE_OBJECT */
#define PMIX_ALLOC_FABRIC_TYPE                 "pmix.alloc.nettype"     /* STRING */
#define PMIX_ALLOC_ID                          "pmix.alloc.id"          /* STRING */
#define PMIX_ALLOC_IMAGE                       "pmix.alloc.image"       /* STRING */
#define PMIX_ALLOC_INHERITANCE                 "pmix.alloc.inhrt"       /* ALLOC_INHERIT */
#define PMIX_ALLOC_LEND                        "pmix.alloc.lend"        /* STRING */
#define PMIX_ALLOC_MAU                         "pmix.alloc.mau"         /* DATA_ARRAY */
#define PMIX_ALLOC_MEM_SIZE                    "pmix.alloc.msize"       /* FLOAT */
#define PMIX_ALLOC_NETWORK                     "pmix.alloc.net"         /* DATA_ARRAY, old */
#define PMIX_ALLOC_NETWORK_ENDPTS              "pmix.alloc.endpts"      /* SIZE, old */
#define PMIX_ALLOC_NETWORK_ENDPTS_NODE         "pmix.alloc.endpts.nd"   /* SIZE, old */
#define PMIX_ALLOC_NETWORK_ID                  "pmix.alloc.netid"       /* STRING, old */
#define PMIX_ALLOC_NETWORK_PLANE               "pmix.alloc.netplane"    /* STRING, old */
#define PMIX_ALLOC_NETWORK_QOS                 "pmix.alloc.netqos"      /* STRING, old */
#define PMIX_ALLOC_NETWORK_SEC_KEY             "pmix.alloc.nsec"        /* BYTE_OBJECT, old */
#define PMIX_ALLOC_NETWORK_TYPE                "pmix.alloc.nettype"     /* STRING, old */
#define PMIX_ALLOC_NODE_LIST                   "pmix.alloc.nlist"       /* STRING */
#define PMIX_ALLOC_NOSHELL                     "pmix.alloc.noshell"     /* BOOL */
#define PMIX_ALLOC_NOT_WAITING                 "pmix.alloc.notwait"     /* BOOL */
#define PMIX_ALLOC_NUM_BLOCKS                  "pmix.alloc.nblks"       /* UINT64 */
#define PMIX_ALLOC_NUM_CPUS                    "pmix.alloc.ncpus"       /* UINT64 */
#define PMIX_ALLOC_NUM_CPU_LIST                "pmix.alloc.ncpulist"    /* STRING */
#define PMIX_ALLOC_NUM_NODES                   "pmix.alloc.nnodes"      /* UINT64 */
#define PMIX_ALLOC_PREEMPTIBLE                 "pmix.alloc.preempt"     /* BOOL */
#define PMIX_ALLOC_PROPERTY                    "pmix.alloc.property"    /* STRING */
#define PMIX_ALLOC_QUEUE                       "pmix.alloc.queue"       /* STRING */
#define PMIX_ALLOC_RELEASABLE                  "pmix.alloc.releasable"  /* BOOL */
#define PMIX_ALLOC_REQ_ID                      "pmix.alloc.reqid"       /* STRING */
#define PMIX_ALLOC_RES_BLOCK                   "pmix.alloc.blk"         /* STRING */
#define PMIX_ALLOC_SHARE                       "pmix.alloc.share"       /* BOOL */
#define PMIX_ALLOC_STATUS                      "pmix.alloc.status"      /* STATUS */
#define PMIX_ALLOC_TARGET                      "pmix.alloc.tgt"         /* STRING */
#define PMIX_ALLOC_TIME                        "pmix.alloc.time"        /* STRING */
#define PMIX_ALLOC_WAIT_ALL_NODES              "pmix.alloc.waitall"     /* BOOL */
#define PMIX_ALLOC_WARN_TIMEOUT                "pmix.alloc.wtmo"        /* UINT32 */
#define PMIX_ALLOW_CLIENT_CLONES               "pmix.allow.clones"      /* BOOL */
#define PMIX_ALL_CLONES_PARTICIPATE            "pmix.clone.part"        /* BOOL */
#define PMIX_ANL_MAP                           "pmix.anlmap"            /* STRING, job */
#define PMIX_APPEND_ENVAR                      "pmix.envar.appnd"       /* ENVAR */
#define PMIX_APPLDR                            "pmix.aldr"              /* PROC_RANK, app */
#define PMIX_APPNUM                            "pmix.appnum"            /* UINT32, proc */
#define PMIX_APP_ARGV                          "pmix.app.argv"          /* STRING, app */
#define PMIX_APP_INFO                          "pmix.app.info"          /* BOOL */
#define PMIX_APP_INFO_ARRAY                    "pmix.app.arr"           /* DATA_ARRAY, app */
#define PMIX_APP_MAP_REGEX                     "pmix.apmap.regex"       /* STRING, app */
#define PMIX_APP_MAP_TYPE                      "pmix.apmap.type"        /* STRING, app */
#define PMIX_APP_RANK                          "pmix.apprank"           /* PROC_RANK, proc */
#define PMIX_APP_SIZE                          "pmix.app.size"          /* UINT32, app */
#define PMIX_ARCH                              "pmix.arch"              /* UINT32, old */
#define PMIX_ATTR_UNDEF                        "pmix.undef"             /* POINTER */
#define PMIX_AVAIL_PHYS_MEMORY                 "pmix.pmem"              /* UINT64, node */
#define PMIX_BFROPS_MODULE                     "pmix.bfrops.mod"        /* STRING, old */
#define PMIX_BINDTO                            "pmix.bindto"            /* STRING, job */
#define PMIX_BIND_PROGRESS_THREAD              "pmix.bind.pt"           /* STRING */
#define PMIX_BIND_REQUIRED                     "pmix.bind.reqd"         /* BOOL */
#define PMIX_BREAKPOINT                        "pmix.brkpnt"            /* STRING */
#define PMIX_CLEANUP_EMPTY                     "pmix.clnup.empty"       /* BOOL */
#define PMIX_CLEANUP_IGNORE                    "pmix.clnup.ignore"      /* STRING */
#define PMIX_CLEANUP_LEAVE_TOPDIR              "pmix.clnup.lvtop"       /* BOOL */
#define PMIX_CLEANUP_RECURSIVE                 "pmix.clnup.recurse"     /* BOOL */
#define PMIX_CLIENT_ATTRIBUTES                 "pmix.client.attrs"      /* STRING */
#define PMIX_CLIENT_AVG_MEMORY                 "pmix.cl.mem.avg"        /* FLOAT */
#define PMIX_CLIENT_FUNCTIONS                  "pmix.client.fns"        /* STRING */
#define PMIX_CLUSTER_ID                        "pmix.clid"              /* STRING, session */
#define PMIX_CMD_LINE                          "pmix.cmd.line"          /* STRING, job */
#define PMIX_COLLECTIVE_ALGO                   "pmix.calgo"             /* STRING, old */
#define PMIX_COLLECTIVE_ALGO_REQD              "pmix.calreqd"           /* BOOL, old */
#define PMIX_COLLECT_DATA                      "pmix.collect"           /* BOOL */
#define PMIX_COLLECT_GENERATED_JOB_INFO        "pmix.collect.gen"       /* BOOL */
#define PMIX_COLOCATE_NPERNODE                 "pmix.colnum.node"       /* UINT16 */
#define PMIX_COLOCATE_NPERPROC                 "pmix.colnum.proc"       /* UINT16 */
#define PMIX_COLOCATE_PROCS                    "pmix.colproc"           /* DATA_ARRAY */
#define PMIX_CONNECTION_ORDER                  "pmix.cnct.ord"          /* STRING */
#define PMIX_CONNECT_MAX_RETRIES               "pmix.tool.mretries"     /* UINT32 */
#define PMIX_CONNECT_RETRY_DELAY               "pmix.tool.retry"        /* UINT32 */
#define PMIX_CONNECT_SYSTEM_FIRST              "pmix.cnct.sys.first"    /* BOOL */
#define PMIX_CONNECT_TO_SCHEDULER              "pmix.cnct.sched"        /* BOOL */
#define PMIX_CONNECT_TO_SYSTEM                 "pmix.cnct.sys"          /* BOOL */
#define PMIX_CONNECT_TO_SYS_CONTROLLER         "pmix.cnct.ctrlr"        /* BOOL */
#define PMIX_COSPAWN_APP                       "pmix.cospawn"           /* BOOL */
#define PMIX_CPUSET                            "pmix.cpuset"            /* STRING, proc */
#define PMIX_CPUSET_BITMAP                     "pmix.bitmap"            /* PROC_CPUSET, proc */
#define PMIX_CPUS_PER_PROC                     "pmix.cpuperproc"        /* UINT32 */
#define PMIX_CPU_LIST                          "pmix.cpulist"           /* STRING */
#define PMIX_CREDENTIAL                        "pmix.cred"              /* STRING, proc */
#define PMIX_CRED_TYPE                         "pmix.sec.ctype"         /* STRING */
#define PMIX_CRYPTO_KEY                        "pmix.sec.key"           /* BYTE_OBJECT */
#define PMIX_DAEMON_MEMORY                     "pmix.dmn.mem"           /* FLOAT, node */
#define PMIX_DATA_SCOPE                        "pmix.scope"             /* SCOPE */
#define PMIX_DEBUGGER_DAEMONS                  "pmix.debugger"          /* BOOL */
#define PMIX_DEBUG_APP_DIRECTIVES              "pmix.dbg.adirs"         /* DATA_ARRAY, old */
#define PMIX_DEBUG_DAEMONS_PER_NODE            "pmix.dbg.dpnd"          /* UINT16 */
#define PMIX_DEBUG_DAEMONS_PER_PROC            "pmix.dbg.dpproc"        /* UINT16 */
#define PMIX_DEBUG_JOB                         "pmix.dbg.job"           /* STRING, old */
#define PMIX_DEBUG_JOB_DIRECTIVES              "pmix.dbg.jdirs"         /* DATA_ARRAY, old */
#define PMIX_DEBUG_STOP_IN_APP                 "pmix.dbg.notify"        /* UNDEF */
#define PMIX_DEBUG_STOP_IN_INIT                "pmix.dbg.init"          /* BOOL */
#define PMIX_DEBUG_STOP_ON_EXEC                "pmix.dbg.exec"          /* BOOL */
#define PMIX_DEBUG_TARGET                      "pmix.dbg.tgt"           /* PROC */
#define PMIX_DEVICE_DISTANCES                  "pmix.dev.dist"          /* DATA_ARRAY, proc */
#define PMIX_DEVICE_ID                         "pmix.dev.id"            /* STRING */
#define PMIX_DEVICE_TYPE                       "pmix.dev.type"          /* DEVTYPE */
#define PMIX_DISK_ID                           "pmix.disk.id"           /* STRING */
#define PMIX_DISK_IO_IN_PROGRESS               "pmix.disk.ios"          /* UINT64 */
#define PMIX_DISK_IO_MILLISEC                  "pmix.disk.ioms"         /* UINT64 */
#define PMIX_DISK_IO_WEIGHTED                  "pmix.disk.iowght"       /* UINT64 */
#define PMIX_DISK_READ_COMPLETED               "pmix.disk.rdscomp"      /* UINT64 */
#define PMIX_DISK_READ_MERGED                  "pmix.disk.rdsmrgd"      /* UINT64 */
#define PMIX_DISK_READ_MILLISEC                "pmix.disk.rdms"         /* UINT64 */
#define PMIX_DISK_READ_SECTORS                 "pmix.disk.rdsct"        /* UINT64 */
#define PMIX_DISK_RESOURCE_USAGE               "pmix.disk.res"          /* DATA_ARRAY */
#define PMIX_DISK_SAMPLE_TIME                  "pmix.disk.samptime"     /* TIME */
#define PMIX_DISK_WRITE_COMPLETED              "pmix.disk.wtscomp"      /* UINT64 */
#define PMIX_DISK_WRITE_MERGED                 "pmix.disk.wtsmrgd"      /* UINT64 */
#define PMIX_DISK_WRITE_MILLISEC               "pmix.disk.wtms"         /* UINT64 */
#define PMIX_DISK_WRITE_SECTORS                "pmix.disk.wtsct"        /* UINT64 */
#define PMIX_DISPLAY_ALLOCATION                "pmix.dispalloc"         /* BOOL */
#define PMIX_DISPLAY_MAP                       "pmix.dispmap"           /* BOOL */
#define PMIX_DISPLAY_MAP_DETAILED              "pmix.dispmapdet"        /* BOOL */
#define PMIX_DISPLAY_PARSEABLE_OUTPUT          "pmix.dispparse"         /* BOOL */
#define PMIX_DISPLAY_PROCESSORS                "pmix.dispcpus"          /* STRING */
#define PMIX_DISPLAY_TOPOLOGY                  "pmix.disptopo"          /* STRING */
#define PMIX_DO_NOT_LAUNCH                     "pmix.dnl"               /* BOOL */
#define PMIX_DSTPATH                           "pmix.dstpath"           /* STRING, old */
#define PMIX_EMBED_BARRIER                     "pmix.embed.barrier"     /* BOOL */
#define PMIX_ENUM_VALUE                        "pmix.descr.enum"        /* STRING */
#define PMIX_ENVARS_HARVESTED                  "pmix.evar.hvstd"        /* BOOL */
#define PMIX_EVENT_ACTION_TIMEOUT              "pmix.evtimeout"         /* INT */
#define PMIX_EVENT_AFFECTED_PROC               "pmix.evproc"            /* PROC */
#define PMIX_EVENT_AFFECTED_PROCS              "pmix.evaffected"        /* DATA_ARRAY */
#define PMIX_EVENT_BASE                        "pmix.evbase"            /* POINTER, old */
#define PMIX_EVENT_CUSTOM_RANGE                "pmix.evrange"           /* DATA_ARRAY */
#define PMIX_EVENT_DO_NOT_CACHE                "pmix.evnocache"         /* BOOL */
#define PMIX_EVENT_HDLR_AFTER                  "pmix.evafter"           /* STRING */
#define PMIX_EVENT_HDLR_APPEND                 "pmix.evappend"          /* BOOL */
#define PMIX_EVENT_HDLR_BEFORE                 "pmix.evbefore"          /* STRING */
#define PMIX_EVENT_HDLR_FIRST                  "pmix.evfirst"           /* BOOL */
#define PMIX_EVENT_HDLR_FIRST_IN_CATEGORY      "pmix.evfirstcat"        /* BOOL */
#define PMIX_EVENT_HDLR_LAST                   "pmix.evlast"            /* BOOL */
#define PMIX_EVENT_HDLR_LAST_IN_CATEGORY       "pmix.evlastcat"         /* BOOL */
#define PMIX_EVENT_HDLR_NAME                   "pmix.evname"            /* STRING */
#define PMIX_EVENT_HDLR_PREPEND                "pmix.evprepend"         /* BOOL */
#define PMIX_EVENT_NON_DEFAULT                 "pmix.evnondef"          /* BOOL */
#define PMIX_EVENT_NO_TERMINATION              "pmix.evnoterm"          /* BOOL, old */
#define PMIX_EVENT_ONESHOT                     "pmix.evone"             /* BOOL */
#define PMIX_EVENT_PROXY                       "pmix.evproxy"           /* PROC */
#define PMIX_EVENT_RETURN_OBJECT               "pmix.evobject"          /* POINTER */
#define PMIX_EVENT_SILENT_TERMINATION          "pmix.evsilentterm"      /* BOOL */
#define PMIX_EVENT_STAYS_LOCAL                 "pmix.evlocal"           /* BOOL */
#define PMIX_EVENT_TERMINATE_JOB               "pmix.evterm.job"        /* BOOL */
#define PMIX_EVENT_TERMINATE_NODE              "pmix.evterm.node"       /* BOOL */
#define PMIX_EVENT_TERMINATE_PROC              "pmix.evterm.proc"       /* BOOL */
#define PMIX_EVENT_TERMINATE_SESSION           "pmix.evterm.sess"       /* BOOL */
#define PMIX_EVENT_TEXT_MESSAGE                "pmix.evtext"            /* STRING */
#define PMIX_EVENT_TIMESTAMP                   "pmix.evtstamp"          /* TIME */
#define PMIX_EVENT_WANT_TERMINATION            "pmix.evterm"            /* BOOL, old */
#define PMIX_EXEC_AGENT                        "pmix.exec.agnt"         /* STRING */
#define PMIX_EXIT_CODE                         "pmix.exit.code"         /* INT, proc */
#define PMIX_EXTERNAL_AUX_EVENT_BASE           "pmix.evaux"             /* POINTER */
#define PMIX_EXTERNAL_PROGRESS                 "pmix.evext"             /* BOOL */
#define PMIX_FABRIC_COORDINATES                "pmix.fab.coord"         /* DATA_ARRAY, proc */
#define PMIX_FABRIC_COST_MATRIX                "pmix.fab.cm"            /* POINTER */
#define PMIX_FABRIC_DEVICE                     "pmix.fabdev"            /* DATA_ARRAY, node */
#define PMIX_FABRIC_DEVICES                    "pmix.fab.devs"          /* DATA_ARRAY, node */
#define PMIX_FABRIC_DEVICE_ADDRESS             "pmix.fabdev.addr"       /* STRING */
#define PMIX_FABRIC_DEVICE_BUS_TYPE            "pmix.fabdev.btyp"       /* STRING */
#if PMIX_NUMERIC_VERSION >= 0x00070000
#define PMIX_FABRIC_DEVICE_COORDINATES         "pmix.fabdev.coord"      /* GEOMETRY */
#else
#define PMIX_FABRIC_DEVICE_COORDINATES         "pmix.fab.coord"         /* GEOMETRY */
#endif
#define PMIX_FABRIC_DEVICE_DRIVER              "pmix.fabdev.driver"     /* STRING */
#define PMIX_FABRIC_DEVICE_FIRMWARE            "pmix.fabdev.fmwr"       /* STRING */
#define PMIX_FABRIC_DEVICE_INDEX               "pmix.fabdev.idx"        /* UINT32 */
#define PMIX_FABRIC_DEVICE_MTU                 "pmix.fabdev.mtu"        /* SIZE */
#define PMIX_FABRIC_DEVICE_NAME                "pmix.fabdev.nm"         /* STRING */
#define PMIX_FABRIC_DEVICE_PCI_DEVID           "pmix.fabdev.pcidevid"   /* STRING */
#define PMIX_FABRIC_DEVICE_SPEED               "pmix.fabdev.speed"      /* SIZE */
#define PMIX_FABRIC_DEVICE_STATE               "pmix.fabdev.state"      /* LINK_STATE */
#define PMIX_FABRIC_DEVICE_TYPE                "pmix.fabdev.type"       /* STRING */
#define PMIX_FABRIC_DEVICE_VENDOR              "pmix.fabdev.vndr"       /* STRING */
#define PMIX_FABRIC_DEVICE_VENDORID            "pmix.fabdev.vendid"     /* STRING */
#define PMIX_FABRIC_DIMS                       "pmix.fab.dims"          /* UINT32 */
#define PMIX_FABRIC_ENDPT                      "pmix.fab.endpt"         /* DATA_ARRAY, proc */
#define PMIX_FABRIC_GROUPS                     "pmix.fab.grps"          /* STRING */
#define PMIX_FABRIC_IDENTIFIER                 "pmix.fab.id"            /* STRING */
#define PMIX_FABRIC_INDEX                      "pmix.fab.idx"           /* SIZE */
#define PMIX_FABRIC_NUM_DEVICES                "pmix.fab.nverts"        /* SIZE */
#define PMIX_FABRIC_PLANE                      "pmix.fab.plane"         /* STRING */
#define PMIX_FABRIC_SHAPE                      "pmix.fab.shape"         /* DATA_ARRAY */
#define PMIX_FABRIC_SHAPE_STRING               "pmix.fab.shapestr"      /* STRING */
#define PMIX_FABRIC_SWITCH                     "pmix.fab.switch"        /* STRING */
#define PMIX_FABRIC_VENDOR                     "pmix.fab.vndr"          /* STRING */
#define PMIX_FIRST_ENVAR                       "pmix.envar.first"       /* ENVAR */
#define PMIX_FORKEXEC_AGENT                    "pmix.fe.agnt"           /* STRING */
#define PMIX_FWD_ENVIRONMENT                   "pmix.fwdenv"            /* BOOL */
#define PMIX_FWD_STDDIAG                       "pmix.fwd.stddiag"       /* BOOL */
#define PMIX_FWD_STDERR                        "pmix.fwd.stderr"        /* BOOL */
#define PMIX_FWD_STDIN                         "pmix.fwd.stdin"         /* BOOL */
#define PMIX_FWD_STDOUT                        "pmix.fwd.stdout"        /* BOOL */
#define PMIX_GDS_MODULE                        "pmix.gds.mod"           /* STRING, old */
#define PMIX_GET_POINTER_VALUES                "pmix.get.pntrs"         /* BOOL */
#define PMIX_GET_REFRESH_CACHE                 "pmix.get.refresh"       /* BOOL */
#define PMIX_GET_STATIC_VALUES                 "pmix.get.static"        /* BOOL */
#define PMIX_GLOBAL_RANK                       "pmix.grank"             /* PROC_RANK, proc */
#define PMIX_GPU_SUPPORT                       "pmix.gpu.support"       /* BOOL */
#define PMIX_GROUP_ADD_MEMBERS                 "pmix.grp.add"           /* DATA_ARRAY */
#define PMIX_GROUP_ASSIGN_CONTEXT_ID           "pmix.grp.actxid"        /* BOOL */
#define PMIX_GROUP_BOOTSTRAP                   "pmix.grp.btstrp"        /* SIZE */
#define PMIX_GROUP_CONTEXT_ID                  "pmix.grp.ctxid"         /* SIZE */
#define PMIX_GROUP_ENDPT_DATA                  "pmix.grp.endpt"         /* BYTE_OBJECT */
#define PMIX_GROUP_FINAL_MEMBERSHIP_ORDER      "pmix.grp.finord"        /* DATA_ARRAY */
#define PMIX_GROUP_FT_COLLECTIVE               "pmix.grp.ftcoll"        /* BOOL */
#define PMIX_GROUP_ID                          "pmix.grp.id"            /* STRING */
#define PMIX_GROUP_INFO                        "pmix.grp.info"          /* DATA_ARRAY */
#define PMIX_GROUP_INFO_ARRAY                  "pmix.grp.infoarray"     /* DATA_ARRAY */
#define PMIX_GROUP_JOB_INFO                    "pmix.grp.jinfo"         /* BYTE_OBJECT */
#define PMIX_GROUP_LEADER                      "pmix.grp.ldr"           /* BOOL */
#define PMIX_GROUP_LOCAL_CID                   "pmix.grp.lclid"         /* SIZE */
#define PMIX_GROUP_LOCAL_ONLY                  "pmix.grp.lcl"           /* BOOL */
#define PMIX_GROUP_MEMBERSHIP                  "pmix.grp.mbrs"          /* DATA_ARRAY */
#define PMIX_GROUP_NAMES                       "pmix.pgrp.nm"           /* DATA_ARRAY */
#define PMIX_GROUP_NOTIFY_TERMINATION          "pmix.grp.notterm"       /* BOOL */
#define PMIX_GROUP_OPTIONAL                    "pmix.grp.opt"           /* BOOL */
#define PMIX_GRPID                             "pmix.egid"              /* UINT32 */
#define PMIX_HOMOGENEOUS_SYSTEM                "pmix.homo"              /* BOOL */
#define PMIX_HOST                              "pmix.host"              /* STRING */
#define PMIX_HOSTFILE                          "pmix.hostfile"          /* STRING */
#define PMIX_HOSTNAME                          "pmix.hname"             /* STRING, node */
#define PMIX_HOSTNAME_ALIASES                  "pmix.alias"             /* STRING, node */
#define PMIX_HOSTNAME_KEEP_FQDN                "pmix.fqdn"              /* BOOL, session */
#define PMIX_HOST_ATTRIBUTES                   "pmix.host.attrs"        /* STRING */
#define PMIX_HOST_FUNCTIONS                    "pmix.host.fns"          /* STRING */
#define PMIX_HWLOC_HOLE_KIND                   "pmix.hwlocholek"        /* STRING, node, old */
#define PMIX_HWLOC_SHARE_TOPO                  "pmix.hwlocsh"           /* BOOL, node, old */
#define PMIX_HWLOC_SHMEM_ADDR                  "pmix.hwlocaddr"         /* SIZE, node, old */
#define PMIX_HWLOC_SHMEM_FILE                  "pmix.hwlocfile"         /* STRING, node, old */
#define PMIX_HWLOC_SHMEM_SIZE                  "pmix.hwlocsize"         /* SIZE, node, old */
#define PMIX_HWLOC_XML_V1                      "pmix.hwlocxml1"         /* STRING, node, old */
#define PMIX_HWLOC_XML_V2                      "pmix.hwlocxml2"         /* STRING, node, old */
#define PMIX_IMMEDIATE                         "pmix.immediate"         /* BOOL */
#define PMIX_INDEX_ARGV                        "pmix.indxargv"          /* BOOL */
#define PMIX_IOF_BUFFERING_SIZE                "pmix.iof.bsize"         /* UINT32 */
#define PMIX_IOF_BUFFERING_TIME                "pmix.iof.btime"         /* UINT32 */
#define PMIX_IOF_CACHE_SIZE                    "pmix.iof.csize"         /* UINT32 */
#define PMIX_IOF_COMPLETE                      "pmix.iof.cmp"           /* BOOL */
#define PMIX_IOF_COPY                          "pmix.iof.cpy"           /* BOOL */
#define PMIX_IOF_DROP_NEWEST                   "pmix.iof.new"           /* BOOL */
#define PMIX_IOF_DROP_OLDEST                   "pmix.iof.old"           /* BOOL */
#define PMIX_IOF_FILE_ONLY                     "pmix.iof.fonly"         /* BOOL */
#define PMIX_IOF_FILE_PATTERN                  "pmix.iof.fpt"           /* BOOL */
#define PMIX_IOF_INHERIT                       "pmix.iof.inhrt"         /* BOOL, job */
#define PMIX_IOF_LOCAL_OUTPUT                  "pmix.iof.local"         /* BOOL */
#define PMIX_IOF_MERGE_STDERR_STDOUT           "pmix.iof.mrg"           /* BOOL */
#define PMIX_IOF_OUTPUT_RAW                    "pmix.iof.raw"           /* BOOL */
#define PMIX_IOF_OUTPUT_TO_DIRECTORY           "pmix.iof.dir"           /* STRING */
#define PMIX_IOF_OUTPUT_TO_FILE                "pmix.iof.file"          /* STRING */
#define PMIX_IOF_PUSH_STDIN                    "pmix.iof.stdin"         /* BOOL */
#define PMIX_IOF_RANK_OUTPUT                   "pmix.iof.rank"          /* BOOL */
#define PMIX_IOF_REDIRECT                      "pmix.iof.redir"         /* BOOL */
#define PMIX_IOF_STOP                          "pmix.iof.stop"          /* BOOL, old */
#define PMIX_IOF_TAG_DETAILED_OUTPUT           "pmix.iof.tagdet"        /* BOOL */
#define PMIX_IOF_TAG_FULLNAME_OUTPUT           "pmix.iof.tagfull"       /* BOOL */
#define PMIX_IOF_TAG_OUTPUT                    "pmix.iof.tag"           /* BOOL */
#define PMIX_IOF_TIMESTAMP_OUTPUT              "pmix.iof.ts"            /* BOOL */
#define PMIX_IOF_XML_OUTPUT                    "pmix.iof.xml"           /* BOOL */
#define PMIX_JOBID                             "pmix.jobid"             /* STRING, job */
#define PMIX_JOB_CONTINUOUS                    "pmix.continuous"        /* BOOL */
#define PMIX_JOB_CTRL_CANCEL                   "pmix.jctrl.cancel"      /* STRING */
#define PMIX_JOB_CTRL_CHECKPOINT               "pmix.jctrl.ckpt"        /* STRING */
#define PMIX_JOB_CTRL_CHECKPOINT_EVENT         "pmix.jctrl.ckptev"      /* BOOL */
#define PMIX_JOB_CTRL_CHECKPOINT_METHOD        "pmix.jctrl.ckmethod"    /* DATA_ARRAY */
#define PMIX_JOB_CTRL_CHECKPOINT_SIGNAL        "pmix.jctrl.ckptsig"     /* INT */
#if PMIX_NUMERIC_VERSION >= 0x00070000
#define PMIX_JOB_CTRL_CHECKPOINT_TIMEOUT       "pmix.jctrl.ckpttime"    /* INT */
#else
#define PMIX_JOB_CTRL_CHECKPOINT_TIMEOUT       "pmix.jctrl.ckptsig"     /* INT */
#endif
#define PMIX_JOB_CTRL_DEFINE_PSET              "pmix.jctrl.defpset"     /* STRING */
#define PMIX_JOB_CTRL_ID                       "pmix.jctrl.id"          /* STRING */
#define PMIX_JOB_CTRL_KILL                     "pmix.jctrl.kill"        /* BOOL */
#define PMIX_JOB_CTRL_PAUSE                    "pmix.jctrl.pause"       /* BOOL */
#define PMIX_JOB_CTRL_PREEMPTIBLE              "pmix.jctrl.preempt"     /* BOOL */
#define PMIX_JOB_CTRL_PROVISION                "pmix.jctrl.pvn"         /* STRING */
#define PMIX_JOB_CTRL_PROVISION_IMAGE          "pmix.jctrl.pvnimg"      /* STRING */
#define PMIX_JOB_CTRL_RESTART                  "pmix.jctrl.restart"     /* STRING */
#define PMIX_JOB_CTRL_RESUME                   "pmix.jctrl.resume"      /* BOOL */
#define PMIX_JOB_CTRL_SEP                      "pmix.jctrl.sep"         /* BOOL */
#define PMIX_JOB_CTRL_SIGNAL                   "pmix.jctrl.sig"         /* INT */
#define PMIX_JOB_CTRL_TERMINATE                "pmix.jctrl.term"        /* BOOL */
#define PMIX_JOB_INFO                          "pmix.job.info"          /* BOOL */
#define PMIX_JOB_INFO_ARRAY                    "pmix.job.arr"           /* DATA_ARRAY, job */
#define PMIX_JOB_NUM_APPS                      "pmix.job.napps"         /* UINT32, job */
#define PMIX_JOB_RECOVERABLE                   "pmix.recover"           /* BOOL */
#define PMIX_JOB_SIZE                          "pmix.job.size"          /* UINT32, job */
#define PMIX_JOB_TERM_STATUS                   "pmix.job.term.status"   /* STATUS */
#define PMIX_JOB_TIMEOUT                       "pmix.job.time"          /* INT */
#define PMIX_KEEPALIVE_PIPE                    "PMIX_KEEPALIVE_PIPE"    /* UNDEF */
#define PMIX_LAUNCHER                          "pmix.tool.launcher"     /* BOOL */
#define PMIX_LAUNCHER_DAEMON                   "pmix.lnch.dmn"          /* STRING */
#define PMIX_LAUNCHER_RENDEZVOUS_FILE          "pmix.tool.lncrnd"       /* STRING */
#define PMIX_LAUNCHER_RNDZ_FILE                "PMIX_LAUNCHER_RNDZ_FILE" /* UNDEF */
#define PMIX_LAUNCHER_RNDZ_URI                 "PMIX_LAUNCHER_RNDZ_URI" /* UNDEF */
#define PMIX_LAUNCH_DIRECTIVES                 "pmix.lnch.dirs"         /* DATA_ARRAY */
#define PMIX_LOCALITY                          "pmix.loc"               /* UINT16, old */
#define PMIX_LOCALITY_STRING                   "pmix.locstr"            /* STRING, proc */
#define PMIX_LOCALLDR                          "pmix.lldr"              /* PROC_RANK, job */
#define PMIX_LOCAL_COLLECTIVE_STATUS           "pmix.loc.col.st"        /* STATUS */
#define PMIX_LOCAL_CPUSETS                     "pmix.lcpus"             /* STRING, job */
#define PMIX_LOCAL_PARTICIPANTS                "pmix.lcl.part"          /* DATA_ARRAY */
#define PMIX_LOCAL_PEERS                       "pmix.lpeers"            /* STRING, job */
#define PMIX_LOCAL_PROCS                       "pmix.lprocs"            /* DATA_ARRAY, node */
#define PMIX_LOCAL_RANK                        "pmix.lrank"             /* UINT16, proc */
#define PMIX_LOCAL_SIZE                        "pmix.local.size"        /* UINT32, job */
#define PMIX_LOCAL_TOPO                        "pmix.ltopo"             /* STRING, node, old */
#define PMIX_LOG_AGG                           "pmix.log.agg"           /* BOOL */
#define PMIX_LOG_COMPLETION                    "pmix.logcomp"           /* BOOL */
#define PMIX_LOG_EMAIL                         "pmix.log.email"         /* DATA_ARRAY */
#define PMIX_LOG_EMAIL_ADDR                    "pmix.log.emaddr"        /* STRING */
#define PMIX_LOG_EMAIL_MSG                     "pmix.log.emmsg"         /* STRING */
#define PMIX_LOG_EMAIL_SENDER_ADDR             "pmix.log.emfaddr"       /* STRING */
#define PMIX_LOG_EMAIL_SERVER                  "pmix.log.esrvr"         /* STRING */
#define PMIX_LOG_EMAIL_SRVR_PORT               "pmix.log.esrvrprt"      /* INT32 */
#define PMIX_LOG_EMAIL_SUBJECT                 "pmix.log.emsub"         /* STRING */
#define PMIX_LOG_GENERATE_TIMESTAMP            "pmix.log.gtstmp"        /* BOOL */
#define PMIX_LOG_GLOBAL_DATASTORE              "pmix.log.gstore"        /* BOOL */
#define PMIX_LOG_GLOBAL_SYSLOG                 "pmix.log.gsys"          /* STRING */
#define PMIX_LOG_JOB_EVENTS                    "pmix.log.jev"           /* BOOL */
#define PMIX_LOG_JOB_RECORD                    "pmix.log.jrec"          /* BOOL */
#define PMIX_LOG_KEY                           "pmix.log.key"           /* STRING */
#define PMIX_LOG_LOCAL_SYSLOG                  "pmix.log.lsys"          /* STRING */
#define PMIX_LOG_MSG                           "pmix.log.msg"           /* BYTE_OBJECT */
#define PMIX_LOG_ONCE                          "pmix.log.once"          /* BOOL */
#define PMIX_LOG_PROC_ABNORMAL_TERMINATION     "pmix.logabproc"         /* BOOL */
#define PMIX_LOG_PROC_TERMINATION              "pmix.logproc"           /* BOOL */
#define PMIX_LOG_SOURCE                        "pmix.log.source"        /* PROC */
#define PMIX_LOG_STDERR                        "pmix.log.stderr"        /* STRING */
#define PMIX_LOG_STDOUT                        "pmix.log.stdout"        /* STRING */
#define PMIX_LOG_SYSLOG                        "pmix.log.syslog"        /* STRING */
#define PMIX_LOG_SYSLOG_PRI                    "pmix.log.syspri"        /* INT */
#define PMIX_LOG_TAG_OUTPUT                    "pmix.log.tag"           /* BOOL */
#define PMIX_LOG_TIMESTAMP                     "pmix.log.tstmp"         /* TIME */
#define PMIX_LOG_TIMESTAMP_OUTPUT              "pmix.log.tsout"         /* BOOL */
#define PMIX_LOG_VAL                           "pmix.log.val"           /* STRING */
#define PMIX_LOG_XML_OUTPUT                    "pmix.log.xml"           /* BOOL */
#define PMIX_MAPBY                             "pmix.mapby"             /* STRING, job */
#define PMIX_MAPPER                            "pmix.mapper"            /* STRING, old */
#define PMIX_MAP_BLOB                          "pmix.mblob"             /* BYTE_OBJECT, old */
#define PMIX_MAX_PROCS                         "pmix.max.size"          /* UINT32, job */
#define PMIX_MAX_RESTARTS                      "pmix.maxrestarts"       /* UINT32 */
#define PMIX_MAX_VALUE                         "pmix.descr.maxval"      /* UNDEF */
#define PMIX_MEM_ALLOC_KIND                    "pmix.alloc.mkind"       /* STRING */
#define PMIX_MERGE_STDERR_STDOUT               "pmix.mergeerrout"       /* BOOL, old */
#define PMIX_MIN_VALUE                         "pmix.descr.minval"      /* UNDEF */
#define PMIX_MODEL_AFFINITY_POLICY             "pmix.mdl.tap"           /* STRING */
#define PMIX_MODEL_CPU_TYPE                    "pmix.mdl.cputype"       /* STRING */
#define PMIX_MODEL_LIBRARY_NAME                "pmix.mdl.name"          /* STRING */
#define PMIX_MODEL_LIBRARY_VERSION             "pmix.mld.vrs"           /* STRING */
#define PMIX_MODEL_NUM_CPUS                    "pmix.mdl.ncpu"          /* UINT64 */
#define PMIX_MODEL_NUM_THREADS                 "pmix.mdl.nthrds"        /* UINT64 */
#define PMIX_MODEL_PHASE_NAME                  "pmix.mdl.phase"         /* STRING */
#define PMIX_MODEL_PHASE_TYPE                  "pmix.mdl.ptype"         /* STRING */
#define PMIX_MONITOR_APP_CONTROL               "pmix.monitor.appctrl"   /* BOOL */
#define PMIX_MONITOR_CANCEL                    "pmix.monitor.cancel"    /* STRING */
#define PMIX_MONITOR_DISK_RESOURCE_USAGE       "pmix.monitor.dkresuse"  /* DATA_ARRAY */
#define PMIX_MONITOR_FILE                      "pmix.monitor.fmon"      /* STRING */
#define PMIX_MONITOR_FILE_ACCESS               "pmix.monitor.faccess"   /* STRING */
#define PMIX_MONITOR_FILE_CHECK_TIME           "pmix.monitor.ftime"     /* UINT32 */
#define PMIX_MONITOR_FILE_DROPS                "pmix.monitor.fdrop"     /* UINT32 */
#define PMIX_MONITOR_FILE_MODIFY               "pmix.monitor.fmod"      /* STRING */
#define PMIX_MONITOR_FILE_SIZE                 "pmix.monitor.fsize"     /* BOOL */
#define PMIX_MONITOR_HEARTBEAT                 "pmix.monitor.mbeat"     /* BOOL */
#define PMIX_MONITOR_HEARTBEAT_DROPS           "pmix.monitor.bdrop"     /* UINT32 */
#define PMIX_MONITOR_HEARTBEAT_TIME            "pmix.monitor.btime"     /* UINT32 */
#define PMIX_MONITOR_ID                        "pmix.monitor.id"        /* STRING */
#define PMIX_MONITOR_LOCAL_ONLY                "pmix.monitor.local"     /* BOOL */
#define PMIX_MONITOR_NET_RESOURCE_USAGE        "pmix.monitor.netresuse" /* DATA_ARRAY */
#define PMIX_MONITOR_NODE_RESOURCE_USAGE       "pmix.monitor.ndresuse"  /* DATA_ARRAY */
#define PMIX_MONITOR_PROC_RESOURCE_USAGE       "pmix.monitor.presuse"   /* DATA_ARRAY */
#define PMIX_MONITOR_PROXY                     "pmix.monitor.proxy"     /* PROC */
#define PMIX_MONITOR_RESOURCE_RATE             "pmix.monitor.resrate"   /* UINT32 */
#define PMIX_MONITOR_TARGET_DISKS              "pmix.monitor.tgtdks"    /* DATA_ARRAY */
#define PMIX_MONITOR_TARGET_NETS               "pmix.monitor.tgtnets"   /* DATA_ARRAY */
#define PMIX_MONITOR_TARGET_NODEIDS            "pmix.monitor.tgtndids"  /* DATA_ARRAY */
#define PMIX_MONITOR_TARGET_NODES              "pmix.monitor.tgtnode"   /* DATA_ARRAY */
#define PMIX_MONITOR_TARGET_PIDS               "pmix.monitor.tgtpid"    /* DATA_ARRAY */
#define PMIX_MONITOR_TARGET_PROCS              "pmix.monitor.tgtproc"   /* DATA_ARRAY */
#define PMIX_MYSERVER_URI                      "pmix.mysrvr.uri"        /* STRING */
#define PMIX_NETWORK_ID                        "pmix.net.id"            /* STRING */
#define PMIX_NETWORK_RESOURCE_USAGE            "pmix.net.res"           /* DATA_ARRAY */
#define PMIX_NET_RECVD_BYTES                   "pmix.net.rcb"           /* UINT64 */
#define PMIX_NET_RECVD_ERRS                    "pmix.net.rcerr"         /* UINT64 */
#define PMIX_NET_RECVD_PCKTS                   "pmix.net.rcp"           /* UINT64 */
#define PMIX_NET_SAMPLE_TIME                   "pmix.net.samptime"      /* TIME */
#define PMIX_NET_SENT_BYTES                    "pmix.net.sntb"          /* UINT64 */
#define PMIX_NET_SENT_ERRS                     "pmix.net.snterr"        /* UINT64 */
#define PMIX_NET_SENT_PCKTS                    "pmix.net.sntp"          /* UINT64 */
#define PMIX_NODEID                            "pmix.nodeid"            /* UINT32, node */
#define PMIX_NODE_INFO                         "pmix.node.info"         /* BOOL */
#define PMIX_NODE_INFO_ARRAY                   "pmix.node.arr"          /* DATA_ARRAY, node */
#define PMIX_NODE_LIST                         "pmix.nlist"             /* STRING, job */
#define PMIX_NODE_LOAD_AVG                     "pmix.node.la"           /* FLOAT */
#define PMIX_NODE_LOAD_AVG15                   "pmix.node.la15"         /* FLOAT */
#define PMIX_NODE_LOAD_AVG5                    "pmix.node.la5"          /* FLOAT */
#define PMIX_NODE_MAP                          "pmix.nmap"              /* STRING, job */
#define PMIX_NODE_MAP_RAW                      "pmix.nmap.raw"          /* STRING, job */
#define PMIX_NODE_MEM_BUFFERS                  "pmix.node.mbuf"         /* FLOAT */
#define PMIX_NODE_MEM_CACHED                   "pmix.node.mcache"       /* FLOAT */
#define PMIX_NODE_MEM_FREE                     "pmix.node.mfree"        /* FLOAT */
#define PMIX_NODE_MEM_MAPPED                   "pmix.node.mmap"         /* FLOAT */
#define PMIX_NODE_MEM_SWAP_CACHED              "pmix.node.mswpc"        /* FLOAT */
#define PMIX_NODE_MEM_SWAP_FREE                "pmix.node.mswpfree"     /* FLOAT */
#define PMIX_NODE_MEM_TOTAL                    "pmix.node.mtot"         /* FLOAT */
#define PMIX_NODE_OVERSUBSCRIBED               "pmix.ndosub"            /* BOOL, node */
#define PMIX_NODE_RANK                         "pmix.nrank"             /* UINT16, proc */
#define PMIX_NODE_RESOURCE_USAGE               "pmix.node.res"          /* DATA_ARRAY */
#define PMIX_NODE_SAMPLE_TIME                  "pmix.node.samptime"     /* TIME */
#define PMIX_NODE_SIZE                         "pmix.node.size"         /* UINT32, node */
#define PMIX_NODE_SWAP_TOTAL                   "pmix.node.mswpt"        /* FLOAT */
#define PMIX_NOHUP                             "pmix.nohup"             /* BOOL */
#define PMIX_NON_PMI                           "pmix.nonpmi"            /* BOOL, old */
#define PMIX_NOTIFY_COMPLETION                 "pmix.notecomp"          /* BOOL */
#define PMIX_NOTIFY_JOB_EVENTS                 "pmix.note.jev"          /* BOOL */
#define PMIX_NOTIFY_LAUNCH                     "pmix.note.lnch"         /* BOOL, old */
#define PMIX_NOTIFY_PROC_ABNORMAL_TERMINATION  "pmix.noteabproc"        /* BOOL */
#define PMIX_NOTIFY_PROC_TERMINATION           "pmix.noteproc"          /* BOOL */
#define PMIX_NO_OVERSUBSCRIBE                  "pmix.noover"            /* BOOL */
#define PMIX_NO_PROCS_ON_HEAD                  "pmix.nolocal"           /* BOOL */
#define PMIX_NPROC_OFFSET                      "pmix.offset"            /* PROC_RANK, job */
#define PMIX_NSDIR                             "pmix.nsdir"             /* STRING, job */
#define PMIX_NSPACE                            "pmix.nspace"            /* STRING, job */
#define PMIX_NUM_ALLOCATED_NODES               "pmix.num.anodes"        /* UINT32, job */
#define PMIX_NUM_NODES                         "pmix.num.nodes"         /* UINT32, job */
#define PMIX_NUM_SLOTS                         "pmix.num.slots"         /* UINT32, job */
#define PMIX_OPTIONAL                          "pmix.optional"          /* BOOL */
#define PMIX_OUTPUT_NOCOPY                     "pmix.nocopy"            /* BOOL, old */
#define PMIX_OUTPUT_TO_DIRECTORY               "pmix.outdir"            /* STRING, old */
#define PMIX_OUTPUT_TO_FILE                    "pmix.outfile"           /* STRING, old */
#define PMIX_PACKAGE_RANK                      "pmix.pkgrank"           /* UINT16, proc */
#define PMIX_PARENT_ID                         "pmix.parent"            /* PROC, proc */
#define PMIX_PERSISTENCE                       "pmix.persist"           /* PERSIST */
#define PMIX_PERSONALITY                       "pmix.pers"              /* STRING */
#define PMIX_PNET_SETUP_APP                    "pmix.pnet.setapp"       /* BYTE_OBJECT, old */
#define PMIX_PPR                               "pmix.ppr"               /* STRING */
#define PMIX_PREFIX                            "pmix.prefix"            /* STRING */
#define PMIX_PRELOAD_BIN                       "pmix.preloadbin"        /* BOOL */
#define PMIX_PRELOAD_FILES                     "pmix.preloadfiles"      /* STRING */
#define PMIX_PREPEND_ENVAR                     "pmix.envar.prepnd"      /* ENVAR */
#define PMIX_PRIMARY_SERVER                    "pmix.pri.srvr"          /* BOOL */
#define PMIX_PROCDIR                           "pmix.pdir"              /* STRING, proc */
#define PMIX_PROCID                            "pmix.procid"            /* PROC, proc */
#define PMIX_PROC_BLOB                         "pmix.pblob"             /* BYTE_OBJECT, old */
#define PMIX_PROC_CPU                          "pmix.proc.cpu"          /* UINT16 */
#define PMIX_PROC_DATA                         "pmix.pdata"             /* DATA_ARRAY, job, old */
#define PMIX_PROC_INFO_ARRAY                   "pmix.pdata"             /* DATA_ARRAY, job */
#define PMIX_PROC_MAP                          "pmix.pmap"              /* STRING, job */
#define PMIX_PROC_MAP_RAW                      "pmix.pmap.raw"          /* STRING, job */
#define PMIX_PROC_NUM_THREADS                  "pmix.proc.nthr"         /* UINT16 */
#define PMIX_PROC_OS_STATE                     "pmix.proc.osstate"      /* STRING */
#define PMIX_PROC_PEAK_VSIZE                   "pmix.proc.pkvsize"      /* FLOAT */
#define PMIX_PROC_PERCENT_CPU                  "pmix.proc.pcpu"         /* FLOAT */
#define PMIX_PROC_PID                          "pmix.ppid"              /* PID, proc */
#define PMIX_PROC_PRIORITY                     "pmix.proc.pri"          /* INT32 */
#define PMIX_PROC_PSS                          "pmix.proc.pss"          /* FLOAT */
#define PMIX_PROC_RESOURCE_USAGE               "pmix.proc.res"          /* DATA_ARRAY */
#define PMIX_PROC_RSS                          "pmix.proc.rss"          /* FLOAT */
#define PMIX_PROC_SAMPLE_TIME                  "pmix.proc.samptime"     /* TIME */
#define PMIX_PROC_STATE_STATUS                 "pmix.proc.state"        /* PROC_STATE, proc */
#define PMIX_PROC_TERM_STATUS                  "pmix.proc.term.status"  /* STATUS */
#define PMIX_PROC_TIME                         "pmix.proc.time"         /* TIMEVAL */
#define PMIX_PROC_URI                          "pmix.puri"              /* STRING, proc, old */
#define PMIX_PROC_VSIZE                        "pmix.proc.vsize"        /* FLOAT */
#define PMIX_PROGRAMMING_MODEL                 "pmix.pgm.model"         /* STRING */
#define PMIX_PROGRESS_THREAD_FLUSH             "pmix.evflush"           /* BOOL */
#if PMIX_NUMERIC_VERSION >= 0x00070000
#define PMIX_PROGRESS_THREAD_NAME              "pmix.pthrdnm"           /* STRING */
#else
#define PMIX_PROGRESS_THREAD_NAME              "pmix.evname"            /* STRING */
#endif
#define PMIX_PSET_MEMBERS                      "pmix.pset.mems"         /* DATA_ARRAY */
#define PMIX_PSET_NAME                         "pmix.pset.nm"           /* STRING, app */
#define PMIX_PSET_NAMES                        "pmix.pset.nms"          /* DATA_ARRAY */
#define PMIX_PTY_TERMIO                        "pmix.pty.termio"        /* BYTE_OBJECT */
#define PMIX_PTY_WSIZE                         "pmix.pty.wsize"         /* BYTE_OBJECT */
#define PMIX_QUALIFIED_VALUE                   "pmix.qual.val"          /* DATA_ARRAY */
#define PMIX_QUERY_ALLOCATION                  "pmix.query.allc"        /* DATA_ARRAY */
#define PMIX_QUERY_ALLOC_IDS                   "pmix.query.alloc.ids"   /* DATA_ARRAY */
#define PMIX_QUERY_ALLOC_PROPERTIES            "pmix.query.alloc.prop"  /* DATA_ARRAY */
#define PMIX_QUERY_ALLOC_STATUS                "pmix.query.alloc"       /* STRING */
#define PMIX_QUERY_ATTRIBUTE_SUPPORT           "pmix.qry.attrs"         /* DATA_ARRAY */
#define PMIX_QUERY_AUTHORIZATIONS              "pmix.qry.auths"         /* DATA_ARRAY */
#define PMIX_QUERY_AVAILABLE_SLOTS             "pmix.qry.aslots"        /* UINT32 */
#define PMIX_QUERY_AVAIL_SERVERS               "pmix.qry.asrvrs"        /* DATA_ARRAY */
#define PMIX_QUERY_DEBUG_SUPPORT               "pmix.qry.debug"         /* STRING */
#define PMIX_QUERY_DEVICES                     "pmix.qry.dev"           /* DATA_ARRAY */
#define PMIX_QUERY_GROUP_MEMBERSHIP            "pmix.qry.pgrpmems"      /* DATA_ARRAY */
#define PMIX_QUERY_GROUP_NAMES                 "pmix.qry.pgrp"          /* DATA_ARRAY */
#define PMIX_QUERY_JOB_STATUS                  "pmix.qry.jst"           /* STATUS */
#define PMIX_QUERY_LOCAL_ONLY                  "pmix.qry.local"         /* BOOL */
#define PMIX_QUERY_LOCAL_PROC_TABLE            "pmix.qry.lptable"       /* DATA_ARRAY */
#define PMIX_QUERY_MEMORY_USAGE                "pmix.qry.mem"           /* DATA_ARRAY */
#define PMIX_QUERY_MIN_ALLOC_UNIT              "pmix.qry.minau"         /* DATA_ARRAY */
#define PMIX_QUERY_NAMESPACES                  "pmix.qry.ns"            /* STRING */
#define PMIX_QUERY_NAMESPACE_INFO              "pmix.qry.nsinfo"        /* DATA_ARRAY */
#define PMIX_QUERY_NODE_RESOURCE_USAGE         "pmix.qry.nres"          /* STRING */
#define PMIX_QUERY_NUM_GROUPS                  "pmix.qry.pgrpnum"       /* SIZE */
#define PMIX_QUERY_NUM_PSETS                   "pmix.qry.psetnum"       /* SIZE */
#define PMIX_QUERY_PROC_RESOURCE_USAGE         "pmix.qry.pres"          /* PROC */
#define PMIX_QUERY_PROC_TABLE                  "pmix.qry.ptable"        /* DATA_ARRAY */
#define PMIX_QUERY_PROVISIONAL_ABI_VERSION     "pmix.qry.prabiver"      /* STRING */
#define PMIX_QUERY_PSET_MEMBERSHIP             "pmix.qry.pmems"         /* DATA_ARRAY */
#define PMIX_QUERY_PSET_NAMES                  "pmix.qry.psets"         /* STRING */
#define PMIX_QUERY_QUALIFIERS                  "pmix.qry.quals"         /* DATA_ARRAY */
#define PMIX_QUERY_QUEUE_LIST                  "pmix.qry.qlst"          /* STRING */
#define PMIX_QUERY_QUEUE_STATUS                "pmix.qry.qst"           /* DATA_ARRAY */
#define PMIX_QUERY_REFRESH_CACHE               "pmix.qry.rfsh"          /* BOOL */
#define PMIX_QUERY_REPORT_AVG                  "pmix.qry.avg"           /* BOOL */
#define PMIX_QUERY_REPORT_MINMAX               "pmix.qry.minmax"        /* BOOL */
#define PMIX_QUERY_RESOLVE_NODE                "pmix.qry.node"          /* STRING */
#define PMIX_QUERY_RESOLVE_PEERS               "pmix.qry.peers"         /* DATA_ARRAY */
#define PMIX_QUERY_RESULTS                     "pmix.qry.res"           /* DATA_ARRAY */
#define PMIX_QUERY_RES_BLOCKS                  "pmix.qry.resblks"       /* DATA_ARRAY */
#define PMIX_QUERY_RES_BLOCK_DEF               "pmix.qry.resdef"        /* DATA_ARRAY */
#define PMIX_QUERY_SPAWN_SUPPORT               "pmix.qry.spawn"         /* STRING */
#define PMIX_QUERY_STABLE_ABI_VERSION          "pmix.qry.stabiver"      /* STRING */
#define PMIX_QUERY_STORAGE_LIST                "pmix.strg.list"         /* STRING */
#define PMIX_QUERY_SUPPORTED_KEYS              "pmix.qry.keys"          /* STRING */
#if PMIX_NUMERIC_VERSION >= 0x00070000
#define PMIX_QUERY_SUPPORTED_QUALIFIERS        "pmix.qry.supqual"       /* BOOL */
#else
#define PMIX_QUERY_SUPPORTED_QUALIFIERS        "pmix.qry.quals"         /* BOOL */
#endif
#define PMIX_RANGE                             "pmix.range"             /* DATA_RANGE */
#define PMIX_RANK                              "pmix.rank"              /* PROC_RANK, proc */
#define PMIX_RANKBY                            "pmix.rankby"            /* STRING, job */
#define PMIX_REALGID                           "pmix.rgid"              /* UINT32 */
#define PMIX_REALUID                           "pmix.ruid"              /* UINT32 */
#define PMIX_RECONNECT_SERVER                  "pmix.cnct.recon"        /* BOOL, old */
#define PMIX_REGISTER_CLEANUP                  "pmix.reg.cleanup"       /* STRING */
#define PMIX_REGISTER_CLEANUP_DIR              "pmix.reg.cleanupdir"    /* STRING */
#define PMIX_REGISTER_NODATA                   "pmix.reg.nodata"        /* BOOL */
#define PMIX_REINCARNATION                     "pmix.reinc"             /* UINT32, proc */
#define PMIX_REPORT_BINDINGS                   "pmix.repbind"           /* BOOL */
#define PMIX_REPORT_CHILD_SEP                  "pmix.rptchildsep"       /* BOOL */
#define PMIX_REPORT_PHYSICAL_CPUS              "pmix.repphys.cpus"      /* BOOL */
#define PMIX_REQUESTOR                         "pmix.requestor"         /* PROC */
#define PMIX_REQUESTOR_IS_CLIENT               "pmix.req.client"        /* BOOL */
#define PMIX_REQUESTOR_IS_TOOL                 "pmix.req.tool"          /* BOOL */
#define PMIX_REQUIRED_KEY                      "pmix.req.key"           /* STRING */
#define PMIX_RESOURCE_BLOCK_NAME               "pmix.resblkname"        /* STRING */
#define PMIX_RM_NAME                           "pmix.rm.name"           /* STRING, session */
#define PMIX_RM_VERSION                        "pmix.rm.version"        /* STRING, session */
#define PMIX_RUNTIME_OPTIONS                   "pmix.runopt"            /* STRING */
#define PMIX_SEND_HEARTBEAT                    "pmix.monitor.beat"      /* BOOL */
#define PMIX_SERVER_ALLOW_FOREIGN_TOOLS        "pmix.srvr.ftools"       /* BOOL */
#define PMIX_SERVER_ATTRIBUTES                 "pmix.srvr.attrs"        /* STRING */
#define PMIX_SERVER_ENABLE_MONITORING          "pmix.srv.monitor"       /* BOOL */
#define PMIX_SERVER_FUNCTIONS                  "pmix.srvr.fns"          /* STRING */
#define PMIX_SERVER_GATEWAY                    "pmix.srv.gway"          /* BOOL */
#define PMIX_SERVER_HOSTNAME                   "pmix.srvr.host"         /* STRING */
#define PMIX_SERVER_INFO_ARRAY                 "pmix.srv.arr"           /* DATA_ARRAY */
#define PMIX_SERVER_NSPACE                     "pmix.srv.nspace"        /* STRING */
#define PMIX_SERVER_PIDINFO                    "pmix.srvr.pidinfo"      /* PID */
#define PMIX_SERVER_RANK                       "pmix.srv.rank"          /* PROC_RANK */
#define PMIX_SERVER_REMOTE_CONNECTIONS         "pmix.srvr.remote"       /* BOOL */
#define PMIX_SERVER_SCHEDULER                  "pmix.srv.sched"         /* BOOL */
#define PMIX_SERVER_SESSION_SUPPORT            "pmix.srvr.sess"         /* BOOL */
#define PMIX_SERVER_SHARE_TOPOLOGY             "pmix.srvr.share"        /* BOOL */
#define PMIX_SERVER_START_TIME                 "pmix.srv.strtime"       /* STRING */
#define PMIX_SERVER_SYSTEM_SUPPORT             "pmix.srvr.sys"          /* BOOL */
#define PMIX_SERVER_SYS_CONTROLLER             "pmix.srv.ctrlr"         /* BOOL */
#define PMIX_SERVER_TMPDIR                     "pmix.srvr.tmpdir"       /* STRING */
#define PMIX_SERVER_TOOL_SUPPORT               "pmix.srvr.tool"         /* BOOL */
#define PMIX_SERVER_URI                        "pmix.srvr.uri"          /* STRING */
#define PMIX_SESSION_APP                       "pmix.ssn.app"           /* DATA_ARRAY */
#define PMIX_SESSION_COMPLETE                  "pmix.ssn.complete"      /* BOOL */
#define PMIX_SESSION_CTRL_ID                   "pmix.ssnctrl.id"        /* STRING */
#define PMIX_SESSION_EXTEND                    "pmix.ssn.xtend"         /* BOOL */
#define PMIX_SESSION_ID                        "pmix.session.id"        /* UINT32, session */
#define PMIX_SESSION_INFO                      "pmix.ssn.info"          /* BOOL */
#define PMIX_SESSION_INFO_ARRAY                "pmix.ssn.arr"           /* DATA_ARRAY, session */
#define PMIX_SESSION_INSTANTIATE               "pmix.ssn.inst"          /* BOOL */
#define PMIX_SESSION_JOB                       "pmix.ssn.job"           /* DATA_ARRAY */
#define PMIX_SESSION_PAUSE                     "pmix.ssn.pause"         /* BOOL */
#define PMIX_SESSION_PREEMPT                   "pmix.ssn.preempt"       /* BOOL */
#define PMIX_SESSION_PROVISION                 "pmix.ssn.pvn"           /* UNDEF */
#define PMIX_SESSION_PROVISION_IMAGE           "pmix.ssn.pvnimg"        /* STRING */
#define PMIX_SESSION_PROVISION_NODES           "pmix.ssn.pvnnds"        /* STRING */
#define PMIX_SESSION_RESOURCES                 "pmix.ssn.res"           /* DATA_ARRAY */
#define PMIX_SESSION_RESTORE                   "pmix.ssn.restore"       /* BOOL */
#define PMIX_SESSION_RESUME                    "pmix.ssn.resume"        /* BOOL */
#define PMIX_SESSION_SEP                       "pmix.ssn.sep"           /* BOOL */
#define PMIX_SESSION_SIGNAL                    "pmix.ssn.sig"           /* INT */
#define PMIX_SESSION_TERMINATE                 "pmix.ssn.terminate"     /* BOOL */
#define PMIX_SETUP_APP_ALL                     "pmix.setup.all"         /* BOOL */
#define PMIX_SETUP_APP_ENVARS                  "pmix.setup.env"         /* BOOL */
#define PMIX_SETUP_APP_NONENVARS               "pmix.setup.nenv"        /* BOOL */
#define PMIX_SET_ENVAR                         "pmix.envar.set"         /* ENVAR */
#define PMIX_SET_SESSION_CWD                   "pmix.ssncwd"            /* BOOL */
#define PMIX_SHOW_LAUNCH_PROGRESS              "pmix.showprog"          /* BOOL */
#define PMIX_SINGLETON                         "pmix.singleton"         /* STRING */
#define PMIX_SINGLE_LISTENER                   "pmix.sing.listnr"       /* BOOL, old */
#define PMIX_SOCKET_MODE                       "pmix.sockmode"          /* UINT32, old */
#define PMIX_SORTED_PROC_ARRAY                 "pmix.sorted.parr"       /* BOOL */
#define PMIX_SPAWNED                           "pmix.spawned"           /* BOOL, proc */
#define PMIX_SPAWN_CHILD_SEP                   "pmix.spchildsep"        /* BOOL */
#define PMIX_SPAWN_PTY                         "pmix.spawn.pty"         /* BOOL */
#define PMIX_SPAWN_TARGET                      "pmix.spwn.tgt"          /* UNDEF */
#define PMIX_SPAWN_TIMEOUT                     "pmix.sp.time"           /* INT */
#define PMIX_SPAWN_TOOL                        "pmix.spwn.tool"         /* BOOL */
#define PMIX_SPAWN_TREE_ACTIVE                 "pmix.spwn.actv"         /* UINT32 */
#define PMIX_SPAWN_TREE_ROOT                   "pmix.spwn.root"         /* STRING */
#define PMIX_STDIN_TGT                         "pmix.stdin"             /* PROC */
#define PMIX_STORAGE_ACCESSIBILITY             "pmix.strg.access"       /* STOR_ACCESS */
#define PMIX_STORAGE_ACCESS_TYPE               "pmix.strg.atype"        /* STOR_ACCESS_TYPE */
#define PMIX_STORAGE_BW_CUR                    "pmix.strg.bwcur"        /* DOUBLE */
#define PMIX_STORAGE_BW_MAX                    "pmix.strg.bwmax"        /* DOUBLE */
#define PMIX_STORAGE_CAPACITY_LIMIT            "pmix.strg.cap"          /* UINT64 */
#define PMIX_STORAGE_CAPACITY_USED             "pmix.strg.capuse"       /* DOUBLE */
#define PMIX_STORAGE_ID                        "pmix.strg.id"           /* STRING */
#define PMIX_STORAGE_IOPS_CUR                  "pmix.strg.iopscur"      /* DOUBLE */
#define PMIX_STORAGE_IOPS_MAX                  "pmix.strg.iopsmax"      /* DOUBLE */
#define PMIX_STORAGE_MEDIUM                    "pmix.strg.medium"       /* STOR_MEDIUM */
#define PMIX_STORAGE_MINIMAL_XFER_SIZE         "pmix.strg.minxfer"      /* DOUBLE */
#define PMIX_STORAGE_OBJECTS_USED              "pmix.strg.objuse"       /* UINT64 */
#define PMIX_STORAGE_OBJECT_LIMIT              "pmix.strg.obj"          /* UINT64 */
#define PMIX_STORAGE_PATH                      "pmix.strg.path"         /* STRING */
#define PMIX_STORAGE_PERSISTENCE               "pmix.strg.persist"      /* STOR_PERSIST */
#define PMIX_STORAGE_SUGGESTED_XFER_SIZE       "pmix.strg.sxfer"        /* DOUBLE */
#define PMIX_STORAGE_TYPE                      "pmix.strg.type"         /* STRING */
#define PMIX_STORAGE_VERSION                   "pmix.strg.ver"          /* STRING */
#define PMIX_SWITCH_PEERS                      "pmix.speers"            /* STRING */
#define PMIX_SYSTEM_TMPDIR                     "pmix.sys.tmpdir"        /* STRING */
#define PMIX_TAG_OUTPUT                        "pmix.tagout"            /* BOOL, old */
#define PMIX_TCP_DISABLE_IPV4                  "pmix.tcp.disipv4"       /* BOOL */
#define PMIX_TCP_DISABLE_IPV6                  "pmix.tcp.disipv6"       /* BOOL */
#define PMIX_TCP_IF_EXCLUDE                    "pmix.tcp.ifexclude"     /* STRING */
#define PMIX_TCP_IF_INCLUDE                    "pmix.tcp.ifinclude"     /* STRING */
#define PMIX_TCP_IPV4_PORT                     "pmix.tcp.ipv4"          /* INT */
#define PMIX_TCP_IPV6_PORT                     "pmix.tcp.ipv6"          /* INT */
#define PMIX_TCP_REPORT_URI                    "pmix.tcp.repuri"        /* STRING */
#define PMIX_TCP_URI                           "pmix.tcp.uri"           /* STRING */
#define PMIX_TDIR_RMCLEAN                      "pmix.tdir.rmclean"      /* BOOL, session */
#define PMIX_THREADING_MODEL                   "pmix.threads"           /* STRING */
#define PMIX_TIMEOUT                           "pmix.timeout"           /* INT */
#define PMIX_TIMEOUT_REPORT_STATE              "pmix.tim.state"         /* BOOL */
#define PMIX_TIMEOUT_STACKTRACES               "pmix.tim.stack"         /* BOOL */
#define PMIX_TIMESTAMP_OUTPUT                  "pmix.tsout"             /* BOOL, old */
#define PMIX_TIME_REMAINING                    "pmix.time.remaining"    /* UINT32 */
#define PMIX_TMPDIR                            "pmix.tmpdir"            /* STRING, session */
#define PMIX_TOOL_ATTACHMENT_FILE              "pmix.tool.attach"       /* STRING */
#define PMIX_TOOL_ATTRIBUTES                   "pmix.tool.attrs"        /* STRING */
#define PMIX_TOOL_CONNECT_OPTIONAL             "pmix.tool.conopt"       /* BOOL */
#define PMIX_TOOL_DO_NOT_CONNECT               "pmix.tool.nocon"        /* BOOL */
#define PMIX_TOOL_FUNCTIONS                    "pmix.tool.fns"          /* STRING */
#define PMIX_TOOL_NSPACE                       "pmix.tool.nspace"       /* STRING */
#define PMIX_TOOL_RANK                         "pmix.tool.rank"         /* UINT32 */
#define PMIX_TOPOLOGY                          "pmix.topo"              /* POINTER, node, old */
#define PMIX_TOPOLOGY2                         "pmix.topo2"             /* TOPO, node */
#define PMIX_TOPOLOGY_FILE                     "pmix.topo.file"         /* STRING, node, old */
#define PMIX_TOPOLOGY_INDEX                    "pmix.topo.index"        /* INT */
#define PMIX_TOPOLOGY_SIGNATURE                "pmix.toposig"           /* STRING, node, old */
#define PMIX_TOPOLOGY_XML                      "pmix.topo.xml"          /* STRING, node, old */
#define PMIX_UNIV_SIZE                         "pmix.univ.size"         /* UINT32, session */
#define PMIX_UNSET_ENVAR                       "pmix.envar.unset"       /* STRING */
#define PMIX_USERID                            "pmix.euid"              /* UINT32 */
#define PMIX_USOCK_DISABLE                     "pmix.usock.disable"     /* BOOL, old */
#define PMIX_VERSION_INFO                      "pmix.version"           /* STRING */
#define PMIX_VERSION_NUMERIC                   "pmix.vers.num"          /* UINT32 */
#define PMIX_WAIT                              "pmix.wait"              /* INT */
#define PMIX_WAIT_FOR_CONNECTION               "pmix.wait.conn"         /* BOOL */
#define PMIX_WDIR                              "pmix.wdir"              /* STRING, app */
#define PMIX_WDIR_USER_SPECIFIED               "pmix.wdir.user"         /* BOOL */

#endif
