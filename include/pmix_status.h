/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* generated from tables/status.tsv by scripts/gen-status, do not edit */
#ifndef PMIX_STATUS_H
#define PMIX_STATUS_H

/*
 * Status and event codes. Zero is success, negative values are errors or events.
 * Codes at and below PMIX_EXTERNAL_ERR_BASE belong to hosts and applications.
 */

#define PMIX_SUCCESS                               0
#define PMIX_ERROR                                 (-1)
#define PMIX_ERR_SILENT                            (-2) /* deprecated */
#define PMIX_DEBUGGER_RELEASE                      (-3)
#define PMIX_ERR_DEBUGGER_RELEASE                  (-3) /* = PMIX_DEBUGGER_RELEASE */
#define PMIX_ERR_PROC_RESTART                      (-4)
#define PMIX_ERR_PROC_CHECKPOINT                   (-5)
#define PMIX_ERR_PROC_MIGRATE                      (-6)
#define PMIX_ERR_PROC_ABORTED                      (-7) /* deprecated */
#define PMIX_ERR_PROC_REQUESTED_ABORT              (-8)
#define PMIX_ERR_PROC_ABORTING                     (-9) /* deprecated */
#define PMIX_ERR_SERVER_FAILED_REQUEST             (-10) /* deprecated */
#define PMIX_ERR_EXISTS                            (-11)
#define PMIX_EXISTS                                (-11) /* = PMIX_ERR_EXISTS */
#define PMIX_ERR_INVALID_CRED                      (-12)
#define PMIX_ERR_HANDSHAKE_FAILED                  (-13) /* deprecated */
#define PMIX_ERR_READY_FOR_HANDSHAKE               (-14) /* deprecated */
#define PMIX_ERR_WOULD_BLOCK                       (-15)
#define PMIX_ERR_UNKNOWN_DATA_TYPE                 (-16)
#define PMIX_ERR_PROC_ENTRY_NOT_FOUND              (-17) /* deprecated */
#define PMIX_ERR_TYPE_MISMATCH                     (-18)
#define PMIX_ERR_UNPACK_INADEQUATE_SPACE           (-19)
#define PMIX_ERR_UNPACK_FAILURE                    (-20)
#define PMIX_ERR_PACK_FAILURE                      (-21)
#define PMIX_ERR_PACK_MISMATCH                     (-22) /* deprecated */
#define PMIX_ERR_NO_PERMISSIONS                    (-23)
#define PMIX_ERR_TIMEOUT                           (-24)
#define PMIX_ERR_UNREACH                           (-25)
#define PMIX_ERR_IN_ERRNO                          (-26) /* deprecated */
#define PMIX_ERR_BAD_PARAM                         (-27)
#define PMIX_ERR_RESOURCE_BUSY                     (-28)
#define PMIX_ERR_OUT_OF_RESOURCE                   (-29)
#define PMIX_ERR_DATA_VALUE_NOT_FOUND              (-30) /* deprecated */
#define PMIX_ERR_INIT                              (-31)
#define PMIX_ERR_NOMEM                             (-32)
#define PMIX_ERR_INVALID_ARG                       (-33) /* deprecated */
#define PMIX_ERR_INVALID_KEY                       (-34) /* deprecated */
#define PMIX_ERR_INVALID_KEY_LENGTH                (-35) /* deprecated */
#define PMIX_ERR_INVALID_VAL                       (-36) /* deprecated */
#define PMIX_ERR_INVALID_VAL_LENGTH                (-37) /* deprecated */
#define PMIX_ERR_INVALID_LENGTH                    (-38) /* deprecated */
#define PMIX_ERR_INVALID_NUM_ARGS                  (-39) /* deprecated */
#define PMIX_ERR_INVALID_ARGS                      (-40) /* deprecated */
#define PMIX_ERR_INVALID_NUM_PARSED                (-41) /* deprecated */
#define PMIX_ERR_INVALID_KEYVALP                   (-42) /* deprecated */
#define PMIX_ERR_INVALID_SIZE                      (-43) /* deprecated */
#define PMIX_ERR_INVALID_NAMESPACE                 (-44) /* deprecated */
#define PMIX_ERR_SERVER_NOT_AVAIL                  (-45) /* deprecated */
#define PMIX_ERR_NOT_FOUND                         (-46)
#define PMIX_ERR_NOT_SUPPORTED                     (-47)
#define PMIX_ERR_NOT_IMPLEMENTED                   (-48) /* deprecated */
#define PMIX_ERR_COMM_FAILURE                      (-49)
#define PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER    (-50)
#define PMIX_ERR_CONFLICTING_CLEANUP_DIRECTIVES    (-51)
#define PMIX_ERR_PARTIAL_SUCCESS                   (-52)
#define PMIX_ERR_DUPLICATE_KEY                     (-53)
#define PMIX_PROCESS_SET_DEFINE                    (-55)
#define PMIX_PROCESS_SET_DELETE                    (-56)
#define PMIX_READY_FOR_DEBUG                       (-58)
#define PMIX_DEBUG_WAITING_FOR_NOTIFY              (-58) /* = PMIX_READY_FOR_DEBUG */
#define PMIX_ERR_PARAM_VALUE_NOT_SUPPORTED         (-59)
#define PMIX_ERR_EMPTY                             (-60)
#define PMIX_ERR_LOST_CONNECTION                   (-61)
#define PMIX_ERR_EXISTS_OUTSIDE_SCOPE              (-62)
#define PMIX_ERR_FATAL                             (-63) /* deprecated */
#define PMIX_ERR_NOT_AVAILABLE                     (-64)
#define PMIX_ERR_VALUE_OUT_OF_BOUNDS               (-65) /* deprecated */
#define PMIX_ERR_NOT_A_MEMBER                      (-66)
#define PMIX_ERR_FILE_OPEN_FAILURE                 (-67) /* deprecated */
#define PMIX_ERR_FILE_READ_FAILURE                 (-68) /* deprecated */
#define PMIX_ERR_FILE_WRITE_FAILURE                (-69) /* deprecated */
#define PMIX_ERR_SYS_LIMITS_PIPES                  (-70) /* deprecated */
#define PMIX_ERR_SYS_LIMITS_CHILDREN               (-71) /* deprecated */
#define PMIX_ERR_PIPE_SETUP_FAILURE                (-72) /* deprecated */
#define PMIX_ERR_EXE_NOT_ACCESSIBLE                (-73) /* deprecated */
#define PMIX_ERR_JOB_WDIR_NOT_ACCESSIBLE           (-74) /* deprecated */
#define PMIX_ERR_SYS_LIMITS_FILES                  (-75) /* deprecated */
#define PMIX_ERR_LOST_CONNECTION_TO_SERVER         (-101) /* deprecated */
#define PMIX_ERR_LOST_PEER_CONNECTION              (-102) /* deprecated */
#define PMIX_ERR_LOST_CONNECTION_TO_CLIENT         (-103) /* deprecated */
#define PMIX_QUERY_PARTIAL_SUCCESS                 (-104)
#define PMIX_NOTIFY_ALLOC_COMPLETE                 (-105) /* deprecated */
#define PMIX_JCTRL_CHECKPOINT                      (-106)
#define PMIX_JCTRL_CHECKPOINT_COMPLETE             (-107)
#define PMIX_JCTRL_PREEMPT_ALERT                   (-108)
#define PMIX_MONITOR_HEARTBEAT_ALERT               (-109)
#define PMIX_MONITOR_FILE_ALERT                    (-110)
#define PMIX_PROC_TERMINATED                       (-111)
#define PMIX_ERR_INVALID_TERMINATION               (-112) /* deprecated */
#define PMIX_FABRIC_UPDATE_ENDPOINTS               (-113)
#define PMIX_MONITOR_RESUSAGE_UPDATE               (-114)
#define PMIX_ERR_EVENT_REGISTRATION                (-144)
#define PMIX_EVENT_JOB_END                         (-145)
#define PMIX_ERR_JOB_TERMINATED                    (-145) /* = PMIX_EVENT_JOB_END */
#define PMIX_ERR_UPDATE_ENDPOINTS                  (-146) /* deprecated */
#define PMIX_MODEL_DECLARED                        (-147)
#define PMIX_GDS_ACTION_COMPLETE                   (-148) /* deprecated */
#define PMIX_PROC_HAS_CONNECTED                    (-149) /* deprecated */
#define PMIX_CONNECT_REQUESTED                     (-150) /* deprecated */
#define PMIX_MODEL_RESOURCES                       (-151)
#define PMIX_OPENMP_PARALLEL_ENTERED               (-152)
#define PMIX_OPENMP_PARALLEL_EXITED                (-153)
#define PMIX_LAUNCHER_READY                        (-155)
#define PMIX_OPERATION_IN_PROGRESS                 (-156)
#define PMIX_OPERATION_SUCCEEDED                   (-157)
#define PMIX_ERR_INVALID_OPERATION                 (-158)
#define PMIX_GROUP_INVITED                         (-159)
#define PMIX_GROUP_LEFT                            (-160)
#define PMIX_GROUP_INVITE_ACCEPTED                 (-161)
#define PMIX_GROUP_INVITE_DECLINED                 (-162)
#define PMIX_GROUP_INVITE_FAILED                   (-163)
#define PMIX_GROUP_MEMBERSHIP_UPDATE               (-164)
#define PMIX_GROUP_CONSTRUCT_ABORT                 (-165)
#define PMIX_GROUP_CONSTRUCT_COMPLETE              (-166)
#define PMIX_GROUP_LEADER_SELECTED                 (-167)
#define PMIX_GROUP_LEADER_FAILED                   (-168)
#define PMIX_GROUP_CONTEXT_ID_ASSIGNED             (-169)
#define PMIX_GROUP_MEMBER_FAILED                   (-170)
#define PMIX_ERR_REPEAT_ATTR_REGISTRATION          (-171)
#define PMIX_ERR_IOF_FAILURE                       (-172)
#define PMIX_ERR_IOF_COMPLETE                      (-173)
#define PMIX_LAUNCH_COMPLETE                       (-174)
#define PMIX_FABRIC_UPDATED                        (-175)
#define PMIX_FABRIC_UPDATE_PENDING                 (-176)
#define PMIX_ERR_JOB_APP_NOT_EXECUTABLE            (-177)
#define PMIX_ERR_JOB_NO_EXE_SPECIFIED              (-178)
#define PMIX_ERR_JOB_FAILED_TO_MAP                 (-179)
#define PMIX_ERR_JOB_CANCELED                      (-180)
#define PMIX_ERR_JOB_FAILED_TO_LAUNCH              (-181)
#define PMIX_ERR_JOB_ABORTED                       (-182)
#define PMIX_ERR_JOB_KILLED_BY_CMD                 (-183)
#define PMIX_ERR_JOB_ABORTED_BY_SIG                (-184)
#define PMIX_ERR_JOB_TERM_WO_SYNC                  (-185)
#define PMIX_ERR_JOB_SENSOR_BOUND_EXCEEDED         (-186)
#define PMIX_ERR_JOB_NON_ZERO_TERM                 (-187)
#define PMIX_ERR_JOB_ALLOC_FAILED                  (-188)
#define PMIX_ERR_JOB_ABORTED_BY_SYS_EVENT          (-189)
#define PMIX_ERR_JOB_EXE_NOT_FOUND                 (-190)
#define PMIX_EVENT_JOB_START                       (-191)
#define PMIX_EVENT_SESSION_START                   (-192)
#define PMIX_EVENT_SESSION_END                     (-193)
#define PMIX_ALLOC_TIMEOUT_WARNING                 (-194)
#define PMIX_DVM_IS_READY                          (-195)
#define PMIX_ERR_DVM_MOD                           (-196)
#define PMIX_ERR_PROC_TERM_WO_SYNC                 (-200)
#define PMIX_EVENT_PROC_TERMINATED                 (-201)
#define PMIX_EVENT_SYS_BASE                        (-230)
#define PMIX_ERR_SYS_BASE                          (-230) /* = PMIX_EVENT_SYS_BASE */
#define PMIX_EVENT_NODE_DOWN                       (-231)
#define PMIX_ERR_NODE_DOWN                         (-231) /* = PMIX_EVENT_NODE_DOWN */
#define PMIX_EVENT_NODE_OFFLINE                    (-232)
#define PMIX_ERR_NODE_OFFLINE                      (-232) /* = PMIX_EVENT_NODE_OFFLINE */
#define PMIX_ERR_JOB_WDIR_NOT_FOUND                (-233)
#define PMIX_ERR_JOB_INSUFFICIENT_RESOURCES        (-234)
#define PMIX_ERR_JOB_SYS_OP_FAILED                 (-235)
#define PMIX_EVENT_SYS_OTHER                       (-330)
#define PMIX_ERR_SYS_OTHER                         (-330) /* = PMIX_EVENT_SYS_OTHER */
#define PMIX_EVENT_NO_ACTION_TAKEN                 (-331)
#define PMIX_EVENT_PARTIAL_ACTION_TAKEN            (-332)
#define PMIX_EVENT_ACTION_DEFERRED                 (-333)
#define PMIX_EVENT_ACTION_COMPLETE                 (-334)
#define PMIX_ERR_PROC_KILLED_BY_CMD                (-400)
#define PMIX_ERR_LOST_PRECISION                    (-400) /* = PMIX_ERR_PROC_KILLED_BY_CMD */
#define PMIX_ERR_PROC_FAILED_TO_START              (-401)
#define PMIX_ERR_CHANGE_SIGN                       (-401) /* = PMIX_ERR_PROC_FAILED_TO_START */
#define PMIX_ERR_PROC_ABORTED_BY_SIG               (-402)
#define PMIX_ERR_PROC_SENSOR_BOUND_EXCEEDED        (-403)
#define PMIX_ERR_EXIT_NONZERO_TERM                 (-404)
#define PMIX_ERR_IOF_XOFF                          (-405)
#define PMIX_EXTERNAL_ERR_BASE                     (-3000)

#endif
