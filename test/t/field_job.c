/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process of a job for the tests of the commands: rank 0 publishes what they look up, all print
 * the events that they are told. Says "here", then lives until the file that is named ends. */

#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <fcntl.h>

static void must(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "field_job: %s: %s\n", what, PMIx_Error_string(rc));
        _exit(1);
    }
}

static void publish(void)
{
    pmix_info_t info[3];
    uint32_t number = 4242;

    must(PMIx_Info_load(&info[0], "port", "one", PMIX_STRING), "load");
    must(PMIx_Info_load(&info[1], "number", &number, PMIX_UINT32), "load");
    must(PMIx_Info_load(&info[2], "evil\n\"key", "a\nb\"c\\d\033[31m\xff", PMIX_STRING), "load");
    must(PMIx_Publish(info, 3), "publish");
    for (int i = 0; i < 3; i++) {
        PMIX_INFO_DESTRUCT(&info[i]);
    }
}

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t results[], size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    char line[512];
    int at = snprintf(line, sizeof(line), "event %d", status);

    (void) id;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], "my.number") && info[i].value.type == PMIX_UINT32) {
            at += snprintf(line + at, sizeof(line) - (size_t) at, " number %u",
                           info[i].value.data.uint32);
        } else if (PMIX_CHECK_KEY(&info[i], "my.text") && info[i].value.type == PMIX_STRING) {
            at += snprintf(line + at, sizeof(line) - (size_t) at, " text %s",
                           info[i].value.data.string);
        }
    }
    puts(line);
    fflush(stdout);
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

int main(int argc, char **argv)
{
    pmix_status_t codes[] = {PMIX_EVENT_NODE_DOWN, -3001};
    pmix_proc_t me;
    char byte;

    must(PMIx_Init(&me, NULL, 0), "init");
    must(PMIx_Register_event_handler(codes, 2, NULL, 0, on_event, NULL, NULL) >= 0 ? PMIX_SUCCESS
                                                                                   : PMIX_ERROR,
         "register");
    if (me.rank == 0) {
        publish();
    }
    puts("here");
    fflush(stdout);
    int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
    while (fd >= 0 && read(fd, &byte, 1) > 0) {
    }
    must(PMIx_Finalize(NULL, 0), "finalize");
    return 0;
}
