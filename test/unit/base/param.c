/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/log.h"
#include "src/base/complaints.h"
#include "src/base/param.h"
#include "src/base/param_file.h"
#include "src/base/status.h"

/* SHM-018, SHM-019, SHM-020. The home directory and the files are those of a scratch directory.
 * Covers: SHM-018 SHM-019 SHM-020 */

static char home[] = "/tmp/px-param-XXXXXX";
static char user_file[192];
static char other_file[128];
static char third_file[128];
static const char system_file[] = "pmix-mca-params.conf"; /* in the folder that this runs in */

static void put_file(const char *path, const char *text, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, len), (ssize_t) len);
    assert_int_equal(close(fd), 0);
}

static void put_text(const char *path, const char *text)
{
    put_file(path, text, strlen(text));
}

static int group_setup(void **state)
{
    char dir[128];

    (void) state;
    alarm(120);
    if (!mkdtemp(home)) {
        return -1;
    }
    (void) snprintf(dir, sizeof(dir), "%s/.pmix", home);
    (void) snprintf(user_file, sizeof(user_file), "%s/mca-params.conf", dir);
    (void) snprintf(other_file, sizeof(other_file), "%s/other", home);
    (void) snprintf(third_file, sizeof(third_file), "%s/third", home);
    if (px_param_int(PX_P_MAX_EVENTS) != 512) { /* before any load too */
        return -1;
    }
    return mkdir(dir, 0700) || setenv("HOME", home, 1) || chdir(home);
}

static int group_teardown(void **state)
{
    char dir[128];

    (void) state;
    (void) snprintf(dir, sizeof(dir), "%s/.pmix", home);
    (void) rmdir(dir);
    return rmdir(home);
}

static int clean(void **state)
{
    (void) state;
    (void) unlink(user_file);
    (void) unlink(system_file);
    (void) unlink(other_file);
    (void) unlink(third_file);
    (void) unsetenv("PMIX_MCA_mca_base_param_files");
    (void) unsetenv("PMIX_MCA_pmix_max_events");
    (void) unsetenv("PMIX_MCA_shmix_segment_size");
    (void) unsetenv("PMIX_MCA_shmix_shared");
    (void) unsetenv("PMIX_MCA_gds");
    (void) unsetenv("PMIX_MCA_shmix_param_verbose");
    return px_param_load();
}

static void every_default_reads(void **state)
{
    (void) state;
    assert_int_equal(px_param_int(PX_P_MAX_EVENTS), 512);
    assert_string_equal(px_param_string(PX_P_GDS), "");
    assert_int_equal(px_param_load(), 0);
    for (int p = 0; p < PX_PARAMS; p++) {
        struct px_param_info info = px_param_describe((enum px_param) p);

        assert_non_null(info.name);
        assert_true(strlen(info.help) > 10);
        assert_string_equal(info.value, info.dflt);
        assert_int_equal(info.source, PX_SOURCE_DEFAULT);
        assert_null(info.rejected);
        if (info.type != PX_PARAM_STRING && strcmp(info.dflt, "0") != 0) {
            assert_int_not_equal(px_param_int((enum px_param) p), 0);
        }
    }
    assert_true(px_param_bool(PX_P_SHMEM_ENABLE));
    assert_true(px_param_int(PX_P_SHMEM_VIRTUAL) == INT64_C(68719476736));
}

static void every_default_can_be_set(void **state)
{
    (void) state;
    for (int p = 0; p < PX_PARAMS; p++) {
        struct px_param_info info = px_param_describe((enum px_param) p);
        char name[128];

        (void) snprintf(name, sizeof(name), "PMIX_MCA_%s", info.name);
        assert_int_equal(setenv(name, info.dflt, 1), 0);
        assert_int_equal(px_param_load(), 0);
        info = px_param_describe((enum px_param) p);
        assert_null(info.rejected);
        assert_int_equal(info.source, PX_SOURCE_ENV);
        assert_int_equal(unsetenv(name), 0);
    }
}

static void user_file_beats_system_file(void **state)
{
    (void) state;
    put_text(system_file, "pmix_max_events = 15\ngds = hash\nshmix_shared = maybe\n");
    assert_int_equal(px_param_load(), 0);
    assert_int_equal(px_param_int(PX_P_MAX_EVENTS), 15);
    assert_int_equal(px_param_describe(PX_P_MAX_EVENTS).source, PX_SOURCE_SYSTEM);
    assert_true(px_param_bool(PX_P_SHMEM_ENABLE));
    assert_string_equal(px_param_describe(PX_P_SHMEM_ENABLE).rejected, "maybe");
    put_text(user_file, "pmix_max_events = 16\nshmix_shared = 0\n");
    assert_int_equal(px_param_load(), 0);
    assert_int_equal(px_param_int(PX_P_MAX_EVENTS), 16);
    assert_int_equal(px_param_describe(PX_P_MAX_EVENTS).source, PX_SOURCE_USER);
    assert_false(px_param_bool(PX_P_SHMEM_ENABLE));
    assert_string_equal(px_param_string(PX_P_GDS), "hash");
    (void) setenv("PMIX_MCA_pmix_max_events", "17", 1);
    assert_int_equal(px_param_load(), 0);
    assert_int_equal(px_param_int(PX_P_MAX_EVENTS), 17);
}

static void environment_beats_user_file(void **state)
{
    (void) state;
    put_text(user_file, "# a comment\n\n  pmix_max_events =  17 \ngds=hash\nsomebody_elses = 4\n");
    assert_int_equal(px_param_load(), 0);
    assert_int_equal(px_param_int(PX_P_MAX_EVENTS), 17);
    assert_string_equal(px_param_string(PX_P_GDS), "hash");
    assert_int_equal(px_param_describe(PX_P_GDS).source, PX_SOURCE_USER);
    (void) setenv("PMIX_MCA_pmix_max_events", "18", 1);
    assert_int_equal(px_param_load(), 0);
    assert_int_equal(px_param_int(PX_P_MAX_EVENTS), 18);
    assert_int_equal(px_param_describe(PX_P_MAX_EVENTS).source, PX_SOURCE_ENV);
}

static void listed_files_replace_the_usual_ones(void **state)
{
    char list[300];

    (void) state;
    put_text(user_file, "pmix_max_events = 1\n");
    put_text(other_file, "pmix_max_events = 2\n");
    put_text(third_file, "pmix_max_events = 3\nshmix_shared = off\n");
    (void) snprintf(list, sizeof(list), "%s,,/nowhere/at/all:%s", other_file, third_file);
    (void) setenv("PMIX_MCA_mca_base_param_files", list, 1);
    assert_int_equal(px_param_load(), 0);
    assert_int_equal(px_param_int(PX_P_MAX_EVENTS), 2); /* the first file wins */
    assert_false(px_param_bool(PX_P_SHMEM_ENABLE));
    (void) setenv("PMIX_MCA_mca_base_param_files", "none", 1);
    assert_int_equal(px_param_load(), 0);
    assert_int_equal(px_param_int(PX_P_MAX_EVENTS), 512);
}

static void malformed_values_leave_the_default(void **state)
{
    static const char *const bad[] = {"abc", "",     "-1",  "1000001", "99999999999999999999",
                                      "12x", "0x10", "1 2", "k"};

    (void) state;
    put_text(user_file, "pmix_max_events = 44\n");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        (void) setenv("PMIX_MCA_pmix_max_events", bad[i], 1);
        assert_int_equal(px_param_load(), 0);
        assert_int_equal(px_param_int(PX_P_MAX_EVENTS), 512);
        assert_string_equal(px_param_describe(PX_P_MAX_EVENTS).rejected, bad[i]);
        assert_string_equal(px_param_describe(PX_P_MAX_EVENTS).value, "512");
        assert_int_equal(px_param_describe(PX_P_MAX_EVENTS).source, PX_SOURCE_DEFAULT);
    }
    (void) setenv("PMIX_MCA_shmix_shared", "perhaps", 1);
    assert_int_equal(px_param_load(), 0);
    assert_true(px_param_bool(PX_P_SHMEM_ENABLE));
    assert_string_equal(px_param_describe(PX_P_SHMEM_ENABLE).rejected, "perhaps");
}

/* Every number and switch that there is: nonsense is its default, and said to be nonsense. */
static void no_parameter_takes_nonsense(void **state)
{
    static const char *const bad[] = {"abc", "", "-99999999999", "99999999999999999999", "1e3",
                                      "0x",  " "};

    (void) state;
    for (int p = 0; p < PX_PARAMS; p++) {
        struct px_param_info info = px_param_describe((enum px_param) p);
        char name[128];

        (void) snprintf(name, sizeof(name), "PMIX_MCA_%s", info.name);
        for (size_t i = 0; info.type != PX_PARAM_STRING && i < sizeof(bad) / sizeof(bad[0]); i++) {
            (void) setenv(name, bad[i], 1);
            assert_int_equal(px_param_load(), 0);
            info = px_param_describe((enum px_param) p);
            assert_non_null(info.rejected);
            assert_string_equal(info.value, info.dflt);
            assert_int_equal(info.source, PX_SOURCE_DEFAULT);
        }
        (void) unsetenv(name);
    }
}

static void sizes_take_units(void **state)
{
    static const struct {
        const char *text;
        int64_t value; /* 0: refused */
    } cases[] = {
        {"1048576", 1048576},
        {"1024k", 1048576},
        {"3M", INT64_C(3) << 20},
        {"3MB", INT64_C(3) << 20},
        {"3MiB", INT64_C(3) << 20},
        {"2g", INT64_C(2) << 30},
        {"1T", INT64_C(1) << 40},
        {"1X", 0},
        {"1Mx", 0},
        {"M", 0},
        {"-5M", 0},
        {"1023", 0},
        {"9223372036854775807", INT64_MAX},
        {"9223372036854775808", 0},
        {"9223372036854775807k", 0},
        {"8388608T", 0},
    };

    (void) state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void) setenv("PMIX_MCA_shmix_segment_size", cases[i].text, 1);
        assert_int_equal(px_param_load(), 0);
        assert_int_equal(px_param_describe(PX_P_SHMEM_VIRTUAL).rejected == NULL,
                         cases[i].value != 0);
        assert_true(px_param_int(PX_P_SHMEM_VIRTUAL) ==
                    (cases[i].value ? cases[i].value : INT64_C(68719476736)));
    }
}

static void a_warning_is_printed_when_asked_for(void **state)
{
    int saved = dup(STDERR_FILENO);
    int ends[2];
    char text[1024] = {0};

    (void) state;
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    (void) setenv("PMIX_MCA_pmix_max_events", "lots", 1);
    (void) dup2(ends[1], STDERR_FILENO);
    assert_int_equal(px_param_load(), 0);
    (void) dup2(saved, STDERR_FILENO);
    assert_true(read(ends[0], text, sizeof(text) - 1) < 0); /* silence by default */
    (void) setenv("PMIX_MCA_shmix_param_verbose", "1", 1);
    (void) dup2(ends[1], STDERR_FILENO);
    assert_int_equal(px_param_load(), 0);
    (void) dup2(saved, STDERR_FILENO);
    assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
    assert_non_null(strstr(text, "pmix_max_events"));
    assert_non_null(strstr(text, "lots"));
    (void) close(saved);
    (void) close(ends[0]);
    (void) close(ends[1]);
}

/* The sentences about what has no effect, each with ! if it is a mistake for sure. */
static const char *complaints(void)
{
    static char text[2048];
    const struct px_complaint *one;

    text[0] = '\0';
    for (size_t i = 0; (one = px_param_complaint(i)) != NULL; i++) {
        (void) snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s\n",
                        one->sure ? "! " : "", one->text);
    }
    return text;
}

static void what_has_no_effect_is_told(void **state)
{
    char want[1024];

    (void) state;
    assert_int_equal(px_param_load(), 0);
    assert_string_equal(complaints(), "");
    put_text(other_file, "# fine\ngarbage here\nshmix_nosuch = 1\n\nds21_locks = 2\n");
    (void) setenv("PMIX_MCA_mca_base_param_files", other_file, 1);
    (void) setenv("PMIX_MCA_gds", "shmix,bogus", 1);
    (void) setenv("PMIX_MCA_psec", "^munge,none", 1);
    (void) setenv("PMIX_MCA_shmix_query_results", "flat,nested", 1);
    assert_int_equal(px_param_load(), 0);
    (void) snprintf(want, sizeof(want),
                    "! %s:2: not of the form NAME = VALUE: \"garbage here\"\n"
                    "! %s:3: there is no parameter \"shmix_nosuch\"\n"
                    "%s:5: there is no parameter \"ds21_locks\"\n"
                    "! gds is \"shmix,bogus\", which has a word that is not known\n"
                    "! shmix_query_results cannot be \"flat,nested\": the default holds, "
                    "\"both\"\n",
                    other_file, other_file, other_file);
    assert_string_equal(complaints(), want);
    assert_string_equal(px_param_string(PX_P_QUERY_RESULTS), "both");
    assert_string_equal(px_param_string(PX_P_GDS), "shmix,bogus");
    (void) unsetenv("PMIX_MCA_mca_base_param_files");
    (void) unsetenv("PMIX_MCA_gds");
    (void) unsetenv("PMIX_MCA_psec");
    (void) unsetenv("PMIX_MCA_shmix_query_results");
    (void) setenv("PMIX_MCA_shmix_nosuch", "1", 1);
    (void) setenv("PMIX_MCA_ds21_locks", "1", 1);
    assert_int_equal(px_param_load(), 0);
    assert_non_null(strstr(complaints(), "! PMIX_MCA_shmix_nosuch: there is no such parameter\n"));
    assert_non_null(strstr(complaints(), "PMIX_MCA_ds21_locks: there is no such parameter\n"));
    assert_null(strstr(complaints(), "! PMIX_MCA_ds21"));
    (void) unsetenv("PMIX_MCA_shmix_nosuch");
    (void) unsetenv("PMIX_MCA_ds21_locks");
}

static char garbage[256]; /* numbers of the lines that are not of the form */

static int count_line(void *arg, unsigned number, const char *name, const char *value)
{
    int *n = arg;

    if (!value) {
        (void) snprintf(garbage + strlen(garbage), sizeof(garbage) - strlen(garbage), "%u:%.8s ",
                        number, name);
        return 0;
    }
    assert_true(strlen(name) > 0);
    assert_true(strlen(value) < 4096);
    (*n)++;
    return 0;
}

static int stop_at_once(void *arg, unsigned number, const char *name, const char *value)
{
    (void) number;
    (void) name;
    (void) value;
    (*(int *) arg)++;
    return -5;
}

static void hostile_files(void **state)
{
    static char big[20000];
    int n = 0;

    (void) state;
    put_text(other_file, "=x\nnoequals\n   \n#c = 1\nok = 'quoted value'\nlast = 1");
    assert_int_equal(px_param_file_read(other_file, count_line, &n), 0);
    assert_int_equal(n, 2);
    assert_string_equal(garbage, "1:=x 2:noequals ");
    garbage[0] = '\0';
    memset(big, 'a', sizeof(big));
    memcpy(big, "long = ", 7);
    memcpy(big + sizeof(big) - 8, "\nb = 2\n", 7);
    put_file(other_file, big, sizeof(big));
    n = 0;
    assert_int_equal(px_param_file_read(other_file, count_line, &n), 0);
    assert_int_equal(n, 1); /* the line after the over-long one */
    assert_string_equal(garbage, "1:long = a 3:a ");
    memset(big, 0, sizeof(big));
    put_file(other_file, big, sizeof(big));
    assert_int_equal(px_param_file_read(other_file, count_line, &n), 0);
    assert_int_equal(px_param_file_read(home, count_line, &n), 0);
    assert_int_equal(px_param_file_read("/dev/zero", count_line, &n), 0);
    assert_int_equal(n, 1);
    (void) unlink(other_file);
    assert_int_equal(mkfifo(other_file, 0600), 0);
    assert_int_equal(px_param_file_read(other_file, count_line, &n), 0);
    put_text(third_file, "a = 1\nb = 2\n");
    n = 0;
    assert_int_equal(px_param_file_read(third_file, stop_at_once, &n), -5);
    assert_int_equal(n, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_default_reads, clean, clean),
        cmocka_unit_test_setup_teardown(every_default_can_be_set, clean, clean),
        cmocka_unit_test_setup_teardown(what_has_no_effect_is_told, clean, clean),
        cmocka_unit_test_setup_teardown(user_file_beats_system_file, clean, clean),
        cmocka_unit_test_setup_teardown(environment_beats_user_file, clean, clean),
        cmocka_unit_test_setup_teardown(listed_files_replace_the_usual_ones, clean, clean),
        cmocka_unit_test_setup_teardown(malformed_values_leave_the_default, clean, clean),
        cmocka_unit_test_setup_teardown(no_parameter_takes_nonsense, clean, clean),
        cmocka_unit_test_setup_teardown(sizes_take_units, clean, clean),
        cmocka_unit_test_setup_teardown(a_warning_is_printed_when_asked_for, clean, clean),
        cmocka_unit_test_setup_teardown(hostile_files, clean, clean),
    };

    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
