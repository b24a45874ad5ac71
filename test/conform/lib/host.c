/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The life of a host process: all nodes register before anybody starts, and serve until everybody
 * has ended. */

#include "inside.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Descriptors this process has open. */
int open_descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 4096; fd++) {
        n += fcntl(fd, F_GETFD) >= 0;
    }
    return n;
}

static void together(const char *step)
{
    tell(step);
    await_n(step, n_nodes());
}

static bool start_server(void)
{
    static const char *const nspace = "conform-host";
    pmix_rank_t rank = (pmix_rank_t) self.node;
    struct infos list = {0};
    pmix_status_t rc;

    add_text(&list, PMIX_HOSTNAME, node_name(self.node));
    add_u32(&list, PMIX_NODEID, (uint32_t) self.node);
    add_text(&list, PMIX_SERVER_NSPACE, nspace);
    add(&list, PMIX_SERVER_RANK, &rank, PMIX_PROC_RANK);
    add_text(&list, PMIX_SERVER_TMPDIR, scratch());
    if (the_case()->tools > 0 || world_wants_files()) {
        add_true(&list, PMIX_SERVER_TOOL_SUPPORT);
    }
    if (the_case()->server != NULL) {
        the_case()->server(&list);
    }
    rc = PMIx_server_init(the_case()->no_module ? NULL : module_make(), list.at, list.n);
    free_infos(&list);
    if (!sound(rc == PMIX_SUCCESS, "server_init: %s", PMIx_Error_string(rc))) {
        setup_failed();
    }
    return rc == PMIX_SUCCESS;
}

static void each_job(void (*act)(const char *name), bool processes)
{
    for (int i = 0; i < MAX_JOBS && board->jobs[i].name != NULL; i++) {
        const struct job *job = &board->jobs[i];

        if (!job->later && !(processes && job->quiet)) {
            act(job->name);
        }
    }
}

void host_dies(void)
{
    tell("conform: host dies");
    raise(SIGKILL);
}

/* A case without any is about what its host does. */
static void script(const struct conform_case *c)
{
    if (c->script != NULL || (c->client == NULL && c->tool == NULL)) {
        trial_begin();
        if (c->script != NULL) {
            c->script();
        }
        trial_end();
    }
}

int host_main(int number)
{
    int before = open_descriptors();
    pmix_status_t rc;
    int more;

    self.node = number;
    self.in_host = true;
    board->servers[number] = getpid();
    world_enter_host();
    if (!start_server()) {
        return 1;
    }
    relay_start();
    each_job(job_register, false);
    together("conform: registered");
    each_job(job_start, true);
    tools_start();
    script(the_case());
    jobs_end();
    together("conform: ended");
    each_job(job_deregister, false);
    relay_stop();
    rc = PMIx_server_finalize();
    sound(rc == PMIX_SUCCESS, "server_finalize: %s", PMIx_Error_string(rc));
    more = open_descriptors() - before;
    sound(the_case()->dirty || more <= 0, "%d descriptors were left open", more);
    return 0;
}
