/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What the environment of this shell says to the library: parameters that it does not know, values
 * that it passes over, directories that are not there, and settings that exclude each other. */

#include "doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/param.h"
#include "src/base/param_file.h"

#define PREFIX "PMIX_MCA_"

/* Parameters of OpenPMIx that mean nothing here: the name, or its beginning up to a '*', and what
 * there is instead. docs/migrating.md has the same table. */
static const struct {
    const char *name;
    const char *instead;
} former[] = {
#define PX_FORMER(name, instead) {name, instead},
#include "former.def"
#undef PX_FORMER
};

/* What stands for a parameter of OpenPMIx; NULL: it is not known. */
static const char *find_former(const char *name)
{
    for (size_t i = 0; i < sizeof(former) / sizeof(former[0]); i++) {
        size_t len = strcspn(former[i].name, "*");

        if (strncmp(name, former[i].name, len) == 0 &&
            (former[i].name[len] == '*' || name[len] == '\0')) {
            return former[i].instead;
        }
    }
    return NULL;
}

static bool is_known(const char *name)
{
    for (int i = 0; i < PX_PARAMS; i++) {
        if (strcmp(px_param_describe((enum px_param) i).name, name) == 0) {
            return true;
        }
    }
    return strcmp(name, "mca_base_param_files") == 0;
}

/* Looks at one setting: a variable that begins with PMIX_MCA_, or a line of that file. */
static void look_at_setting(const char *name, const char *file)
{
    const char *instead = find_former(name);
    const char *prefix = file != NULL ? "" : PREFIX;
    const char *of = file != NULL ? " of " : "";

    file = file != NULL ? file : "";
    if (is_known(name)) {
        return;
    }
    if (instead != NULL) {
        px_doctor_find(PX_WARNING, instead,
                       "%s%s%s%s is a parameter of OpenPMIx that this library does not have",
                       prefix, name, of, file);
    } else {
        px_doctor_find(PX_WARNING, "pmix_info --param all all lists those that there are",
                       "%s%s%s%s: no parameter of this library has this name", prefix, name, of,
                       file);
    }
}

/* px_param_line_fn */
static int look_at_line(void *arg, unsigned number, const char *name, const char *value)
{
    if (value != NULL) {
        look_at_setting(name, arg);
    } else {
        px_doctor_find(PX_WARNING, "write NAME = VALUE",
                       "%s:%u: no line of a parameter file: %.60s", (const char *) arg, number,
                       name);
    }
    return 0;
}

/* Looks at the files that the user has written, or has named. */
static void look_at_files(void)
{
    const char *list = getenv(PREFIX "mca_base_param_files");
    const char *home = getenv("HOME");
    char path[4096];

    if (list == NULL && home != NULL) {
        (void) snprintf(path, sizeof(path), "%s/.pmix/mca-params.conf", home);
        (void) px_param_file_read(path, look_at_line, path);
    }
    for (; list != NULL && *list != '\0'; list += list[0] != '\0') {
        size_t len = strcspn(list, ",:");

        (void) snprintf(path, sizeof(path), "%.*s", (int) len, list);
        if (len > 0 && access(path, R_OK) != 0) {
            px_doctor_find(PX_WARNING, "take it out of the variable, or make it readable",
                           PREFIX "mca_base_param_files names %s, which cannot be read", path);
        }
        (void) px_param_file_read(path, look_at_line, path);
        list += len;
    }
}

/* Looks at the parameters that have a value which does not read as one. */
static void look_at_values(void)
{
    for (int i = 0; i < PX_PARAMS; i++) {
        struct px_param_info p = px_param_describe((enum px_param) i);

        if (p.rejected != NULL) {
            px_doctor_find(PX_WARNING, p.help, "%s cannot be \"%s\": the default holds, \"%s\"",
                           p.name, p.rejected, p.dflt);
        }
    }
}

static bool is_same(const char *variable, const char *other)
{
    return getenv(variable) != NULL && getenv(other) != NULL &&
           strcmp(getenv(variable), getenv(other)) == 0;
}

/* True if a container's hook has copied the server's offers into parameters: then the library does
 * not take gds for a wish (docs/decisions/0017). */
static bool is_copied_by_hook(void)
{
    return getenv("PMIX_SHMIX_GDS") != NULL && is_same("PMIX_MCA_gds", "PMIX_GDS_MODULE") &&
           is_same("PMIX_MCA_psec", "PMIX_SECURITY_MODE");
}

/* Looks at the words of `gds`: components of OpenPMIx are not here. */
static void look_at_store(void)
{
    char words[256];
    char *rest = NULL;

    if (is_copied_by_hook()) {
        return;
    }
    (void) snprintf(words, sizeof(words), "%s", px_param_string(PX_P_GDS));
    for (char *word = strtok_r(words, ",", &rest); word != NULL;
         word = strtok_r(NULL, ",", &rest)) {
        if (strcmp(word, "hash") == 0) {
            px_doctor_find(PX_NOTE, "unset it, unless that is wanted",
                           "gds=hash: processes read by messages, not from shared memory");
        } else if (strcmp(word, "shmix") != 0) {
            px_doctor_find(PX_WARNING, "unset it: shared memory is used without it",
                           "gds names %s, a store of OpenPMIx that this library does not have",
                           word);
        }
    }
}

static void look_at_directory(const char *variable)
{
    const char *dir = getenv(variable);
    struct stat st;

    if (dir != NULL && dir[0] != '\0' &&
        (stat(dir, &st) != 0 || !S_ISDIR(st.st_mode) || access(dir, R_OK | X_OK) != 0)) {
        px_doctor_find(PX_WARNING, "unset it, or make the directory",
                       "%s is %s, which is no directory that this user can read: no server is "
                       "found there",
                       variable, dir);
    }
}

/* Settings that exclude each other. */
static void look_at_contradictions(void)
{
    const char *gds = getenv("PMIX_MCA_gds");
    const char *offer = getenv("PMIX_GDS_MODULE");

    if (!px_param_bool(PX_P_DOOR_UNIX) && !px_param_bool(PX_P_DOOR_TCP)) {
        px_doctor_find(PX_PROBLEM, "set one of them to 1",
                       "shmix_door_unix and shmix_door_tcp are both 0: a server listens nowhere");
    }
    if (gds != NULL && offer != NULL && offer[0] != '\0' && strstr(offer, gds) == NULL) {
        px_doctor_find(PX_WARNING, "unset PMIX_MCA_gds",
                       "PMIX_MCA_gds is %s, and the server of this shell offers %s only", gds,
                       offer);
    }
}

extern char **environ;

void px_doctor_environment(void)
{
    static const char *const dirs[] = {"PMIX_SERVER_TMPDIR", "PMIX_SYSTEM_TMPDIR", "TMPDIR"};
    char name[256];

    for (char **at = environ; *at != NULL; at++) {
        if (strncmp(*at, PREFIX, strlen(PREFIX)) == 0) {
            (void) snprintf(name, sizeof(name), "%.*s", (int) strcspn(*at + strlen(PREFIX), "="),
                            *at + strlen(PREFIX));
            look_at_setting(name, NULL);
        }
    }
    look_at_files();
    look_at_values();
    look_at_store();
    for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
        look_at_directory(dirs[i]);
    }
    look_at_contradictions();
}
