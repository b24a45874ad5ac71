/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Latency of a job while another user's processes attack their server. Each attack gets a new
 * server, an honest job of two processes of one user that fence and exchange values by message, and
 * two processes of a second user that attack (attacks.h). A trial ends some seconds after the
 * attack has reached what it is allowed at most, with the death of the attackers. Without root all
 * have the caller's user.
 *
 * One row an attack: the slowest fence and get of the whole trial, the medians of the first
 * SAMPLES_MAX fences and gets, the attackers' calls and how many of them were refused
 * (PMIX_ERR_OUT_OF_RESOURCE), the server's peak memory. `reached`: no, if the attack did not get so
 * far in the longest time that it has. The last three columns are what the slowest get waited for:
 * work of the server, the server's thread for a CPU, and the process itself for a CPU (waits.h).
 *
 * All share the CPUs of this machine; elsewhere each process of a job has one of its own. With
 * BENCH_IDLE=1 in the environment the attackers use only the time that others leave (SCHED_IDLE),
 * so that waits for a CPU are fewer, and those for the server remain.
 *
 * usage: fairness [SECONDS [ATTACK]] */
#include <grp.h>
#include <pmix.h>
#include <pmix_server.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attacks.h"
#include "measure.h"
#include "src/host/host.h"
#include "waits.h"

enum { HONEST_UID = 1001, ATTACKER_UID = 1002, HONEST = 2, PROCESSES = 4, MILLION = 1000000 };
enum { LONGEST_S = 90 }; /* a trial whose attack does not reach its limit */
enum { LATE = 20000 };

struct latency {
    struct samples first; /* the first SAMPLES_MAX */
    double slowest;       /* of all, ns */
    struct waits waits;   /* of the slowest */
};

/* When a call began. */
struct moment {
    uint64_t ns;
    struct waits waits;
};

/* One mapping of the host, which starts a trial and ends it, and of its processes. */
static struct {
    volatile int over;     /* written by the host: the honest job is to end */
    struct latency fences; /* written by rank 0 of the honest job, read after its end */
    struct latency gets;   /* the same */
    volatile unsigned long fences_done; /* written by rank 0 of the honest job */
    struct attack_state attack;
} * shared;

static pmix_proc_t self; /* of this process, after PMIx_Init */

static void need(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fairness: %s\n", what);
        _exit(1);
    }
}

/* --- the processes: 0 and 1 are the honest job, the others attack */

static bool is_honest(unsigned number)
{
    return number < HONEST;
}

/* As root; else all have the caller's user. */
static uid_t user_of(unsigned number)
{
    return geteuid() != 0 ? geteuid() : is_honest(number) ? HONEST_UID : ATTACKER_UID;
}

static pmix_proc_t name_of(unsigned number)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, is_honest(number) ? "honest" : "attack",
                     is_honest(number) ? number : number - HONEST);
    return proc;
}

/* Rank 0 is measured. */
static struct moment begin(void)
{
    struct moment since = {0};

    if (self.rank == 0) {
        since.waits = waits_now();
        since.ns = now_ns();
    }
    return since;
}

static void timed(struct latency *latency, struct moment since)
{
    double ns = (double) (now_ns() - since.ns);

    if (self.rank == 0) {
        sample_add(&latency->first, ns);
        if (ns > latency->slowest) {
            latency->slowest = ns;
            latency->waits = waits_between(since.waits, waits_now());
        }
    }
}

/* Rounds of a fence and a get of what rank 1 posted before it. The value is shared->over: both
 * ranks read the same one, so they end in the same round. */
static void be_honest(void)
{
    pmix_proc_t other = self;
    int over = 0;

    other.rank = 1;
    need(self.rank != 0 || waits_open(getppid()), "times of the server's thread");
    for (unsigned i = 0; !over; i++) {
        pmix_value_t value = {.type = PMIX_INT, .data.integer = shared->over};
        pmix_value_t *got = NULL;
        char key[32];
        struct moment since;

        snprintf(key, sizeof(key), "key.%u", i % 64);
        if (self.rank == 1) {
            (void) PMIx_Put(PMIX_GLOBAL, key, &value);
            (void) PMIx_Commit();
        }
        since = begin();
        need(PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS, "an honest fence failed");
        timed(&shared->fences, since);
        shared->fences_done += self.rank == 0;
        since = begin();
        need(PMIx_Get(&other, key, NULL, 0, &got) == PMIX_SUCCESS, "an honest get failed");
        timed(&shared->gets, since);
        over = got->data.integer;
        PMIX_VALUE_RELEASE(got);
        need(PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS, "an honest fence failed");
    }
}

/* Takes the priority of an attacker, for all its threads to come. */
static void take_priority(void)
{
    const struct sched_param none = {0};

    need(!getenv("BENCH_IDLE") || sched_setscheduler(0, SCHED_IDLE, &none) == 0, "a priority");
}

/* The body of a process: reads its environment (lines NAME=VALUE) from the host's pipe, takes its
 * user, and behaves honestly or attacks. Does not return. All read by message: it is the server
 * that is attacked. */
static void play(int from, unsigned number, const struct attack *attack)
{
    uid_t uid = user_of(number);
    FILE *file = fdopen(from, "r");
    char line[4096];

    while (file && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        (void) putenv(strdup(line));
    }
    need(geteuid() != 0 || (!setgroups(0, NULL) && !setgid(uid) && !setuid(uid)), "a user");
    (void) setenv("PMIX_MCA_gds", "hash", 1);
    if (!is_honest(number)) {
        take_priority();
    }
    need(PMIx_Init(&self, NULL, 0) == PMIX_SUCCESS, "a process does not start");
    if (!is_honest(number)) {
        attack_play(attack, &self, &shared->attack);
    }
    be_honest();
    (void) PMIx_Finalize(NULL, 0);
    _exit(0);
}

/* --- the host */

/* Answers when LATE others have been asked. The server's thread. */
static pmix_status_t answer_late(struct upcall *upcall)
{
    static struct upcall kept[LATE];
    static unsigned n;
    struct upcall *oldest = &kept[n++ % LATE];

    if (n > LATE) {
        oldest->reply.modex(PMIX_ERR_NOT_FOUND, NULL, 0, oldest->cbdata, NULL, NULL);
    }
    *oldest = *upcall;
    return PMIX_SUCCESS;
}

static struct answer answers[N_ENTRIES] = {[ON_UNPUBLISH] = {.how = NEVER},
                                           [ON_MODEX] = {.how = NEVER},
                                           [ON_PULL] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED}};
static const struct px_host host = {.answers = answers};

static void set_host(const struct attack *attack)
{
    if (attack->host & HOST_ANSWERS_LATE) {
        answers[ON_MODEX] = (struct answer){.how = OWN, .own = answer_late};
    }
    if (attack->host & HOST_HAS_GROUPS) {
        answers[ON_GROUP] = (struct answer){.how = AT_ONCE, .status = PMIX_OPERATION_SUCCEEDED};
    }
}

/* The last process of the attacking job never starts. */
static void add_jobs(void)
{
    for (unsigned i = 0; i <= PROCESSES; i++) {
        uid_t uid = user_of(i);
        uint32_t size = is_honest(i) ? HONEST : ATTACKERS + 1;
        pmix_proc_t proc = name_of(i);
        pmix_info_t info;

        PMIX_INFO_LOAD(&info, PMIX_JOB_SIZE, &size, PMIX_UINT32);
        if (proc.rank == 0) {
            (void) PMIx_server_register_nspace(proc.nspace, (int) size, &info, 1, NULL, NULL);
        }
        (void) PMIx_server_register_client(&proc, uid, uid, NULL, NULL, NULL);
    }
}

/* Sends a process the environment in which it can start, and closes its pipe. */
static void send_environment(int to, unsigned number)
{
    pmix_proc_t proc = name_of(number);
    char **env = NULL;

    need(PMIx_server_setup_fork(&proc, &env) == PMIX_SUCCESS, "an environment");
    for (char **at = env; *at; at++) {
        (void) dprintf(to, "%s\n", *at);
    }
    (void) close(to);
    PMIx_Argv_free(env);
}

static long peak_kb(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kb = 0;

    while (file && fgets(line, sizeof(line), file)) {
        (void) sscanf(line, "VmHWM: %ld", &kb);
    }
    if (file) {
        (void) fclose(file);
    }
    return kb;
}

static void print_row(const struct attack *attack)
{
    const struct attack_state *state = &shared->attack;
    const struct waits *waits = &shared->gets.waits;

    printf("| %s | %.1f | %.1f | %.2f | %.2f | %lu | %lu | %s | %ld | %.1f | %.1f | %.1f |\n",
           attack->what, shared->fences.slowest / MILLION, shared->gets.slowest / MILLION,
           sample_median(&shared->fences.first) / MILLION,
           sample_median(&shared->gets.first) / MILLION, state->tries, state->refused,
           state->reached ? "yes" : "no", peak_kb() / 1024, (double) waits->work / MILLION,
           (double) waits->server / MILLION, (double) waits->self / MILLION);
    fflush(stdout);
}

/* What the host does in a second of the trial. */
static void act(const struct attack *attack, unsigned second)
{
    pmix_nspace_t job = ATTACKED_JOB;

    if (attack->host & HOST_HAS_JOBS && second % 2 == 0) {
        (void) PMIx_server_register_nspace(job, 1, NULL, 0, NULL, NULL);
    } else if (attack->host & HOST_HAS_JOBS) {
        PMIx_server_deregister_nspace(job, NULL, NULL);
    }
}

/* Lets the attack go on for so many seconds after it has reached its limit. */
static void wait_for_attack(const struct attack *attack, unsigned seconds)
{
    struct timespec a_second = {.tv_sec = 1};

    for (unsigned i = 0; i < LONGEST_S && seconds > 0; i++) {
        act(attack, i);
        (void) nanosleep(&a_second, NULL);
        seconds -= shared->attack.reached != 0;
    }
}

/* The attackers die, and the honest job ends after their end was seen. */
static void end_trial(const pid_t *pids)
{
    unsigned long fences;

    for (unsigned i = HONEST; i < PROCESSES; i++) {
        (void) kill(pids[i], SIGKILL);
        (void) waitpid(pids[i], NULL, 0);
    }
    fences = shared->fences_done;
    while (shared->fences_done < fences + 2) {
        (void) usleep(1000);
    }
    shared->over = 1;
    for (unsigned i = 0; i < HONEST; i++) {
        int status = 0;

        need(waitpid(pids[i], &status, 0) == pids[i] && status == 0, "an honest process failed");
    }
}

/* One attack against a new server. This process is its host; it exits with 0 or 1. */
static void trial(const struct attack *attack, unsigned seconds)
{
    pid_t pids[PROCESSES];
    int to[PROCESSES];

    memset(shared, 0, sizeof(*shared));
    for (unsigned i = 0; i < PROCESSES; i++) {
        int ends[2];

        need(pipe(ends) == 0 && (pids[i] = fork()) >= 0, "a process");
        if (pids[i] == 0) {
            for (unsigned other = 0; other < i; other++) {
                (void) close(to[other]);
            }
            (void) close(ends[1]);
            play(ends[0], i, attack);
        }
        (void) close(ends[0]);
        to[i] = ends[1];
    }
    set_host(attack);
    need(PMIx_server_init(px_host_module(&host), NULL, 0) == PMIX_SUCCESS, "the server");
    add_jobs();
    for (unsigned i = 0; i < PROCESSES; i++) {
        send_environment(to[i], i);
    }
    wait_for_attack(attack, seconds);
    end_trial(pids);
    print_row(attack);
    _exit(0);
}

int main(int argc, char **argv)
{
    unsigned seconds = argc > 1 ? (unsigned) atoi(argv[1]) : scaled(5);
    int bad = 0;

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    need(shared != MAP_FAILED, "memory");
    printf("%s; %u s each\n\n", geteuid() == 0 ? "two users" : "one user", seconds);
    printf("| attack | slowest fence, ms | slowest get, ms | median fence, ms | median get, ms | "
           "attempts | refused | reached | server's memory, MiB | slowest get: server's work, ms | "
           "server without a CPU, ms | itself without a CPU, ms |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    fflush(stdout);
    for (const struct attack *attack = attacks; attack->name; attack++) {
        int status = 1;
        pid_t pid;

        if (argc > 2 && strcmp(argv[2], attack->name) != 0) {
            continue;
        }
        pid = fork();
        if (pid == 0) {
            trial(attack, seconds);
        }
        bad += pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
    }
    return bad != 0;
}
