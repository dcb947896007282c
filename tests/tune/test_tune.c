// SPDX-License-Identifier: GPL-3.0-or-later
// --tune on a made-up /sys: what is changed is put back, also after the run was killed.
#include "runner/host/tune.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct tree {
    char root[64], journal[96];
    struct tune_places places;
    FILE *report;
    char *text;
    size_t length;
};

static const struct {
    const char *path, *value;
} files[] = {
    {"devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave"},
    {"devices/system/cpu/intel_pstate/no_turbo", "0"},
    {"devices/system/cpu/cpu3/topology/thread_siblings_list", "3,67"},
    {"devices/system/cpu/cpu67/online", "1"},
    {"devices/system/cpu/cpu3/online", "1"},
};

static void put(const struct tree *tree, const char *path, const char *value) {
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", tree->root, path);
    for (char *at = whole + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(whole, 0777);
        *at = '/';
    }
    FILE *stream = fopen(whole, "w");
    assert_non_null(stream);
    fprintf(stream, "%s\n", value);
    fclose(stream);
}

// The first line of a file of the tree.
static const char *get(const struct tree *tree, const char *path) {
    static char value[64];
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", tree->root, path);
    FILE *stream = fopen(whole, "r");
    assert_non_null(stream);
    assert_non_null(fgets(value, sizeof value, stream));
    fclose(stream);
    value[strcspn(value, "\n")] = '\0';
    return value;
}

static int make_tree(void **state) {
    struct tree *tree = calloc(1, sizeof *tree);
    strcpy(tree->root, "/tmp/asmsweep-tune-XXXXXX");
    if (!mkdtemp(tree->root))
        return -1;
    snprintf(tree->journal, sizeof tree->journal, "%s/journal", tree->root);
    tree->places = (struct tune_places){tree->root, tree->journal};
    tree->report = open_memstream(&tree->text, &tree->length);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        put(tree, files[i].path, files[i].value);
    *state = tree;
    return 0;
}

static int remove_tree(void **state) {
    struct tree *tree = *state;
    pid_t pid = fork();
    if (pid == 0)
        execlp("rm", "rm", "-rf", tree->root, (char *)NULL);
    waitpid(pid, NULL, 0);
    fclose(tree->report);
    free(tree->text);
    free(tree);
    return 0;
}

static void assert_tuned(const struct tree *tree) {
    assert_string_equal(get(tree, files[0].path), "performance");
    assert_string_equal(get(tree, files[1].path), "1");
    assert_string_equal(get(tree, files[3].path), "0");
    assert_string_equal(get(tree, files[4].path), "1"); // never the CPU itself
}

static void assert_as_before(const struct tree *tree) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_string_equal(get(tree, files[i].path), files[i].value);
    assert_int_equal(access(tree->journal, F_OK), -1);
}

static void what_was_tuned_is_put_back_at_the_end(void **state) {
    struct tree *tree = *state;
    struct error error;
    int lock = tune_apply(&tree->places, 3, tree->report, &error);
    assert_true(lock >= 0);
    assert_tuned(tree);
    assert_int_equal(tune_restore(&tree->places, lock, &error), 0);
    assert_as_before(tree);
    fflush(tree->report);
    assert_non_null(strstr(tree->text, "scaling_governor was 'powersave', is 'performance'"));
}

static void a_killed_run_is_put_back_at_the_next_start(void **state) {
    struct tree *tree = *state;
    struct error error;
    pid_t pid = fork();
    if (pid == 0) {
        if (tune_apply(&tree->places, 3, stderr, &error) >= 0)
            raise(SIGKILL);
        _exit(1);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_tuned(tree);
    assert_int_equal(tune_recover(&tree->places, tree->report, &error), 0);
    assert_as_before(tree);
    fflush(tree->report);
    assert_non_null(strstr(tree->text, "put back: "));
}

static void a_living_run_is_left_alone_and_a_second_refused(void **state) {
    struct tree *tree = *state;
    struct error error;
    int lock = tune_apply(&tree->places, 3, tree->report, &error);
    assert_int_equal(tune_recover(&tree->places, tree->report, &error), 0);
    assert_tuned(tree);
    assert_int_equal(tune_apply(&tree->places, 3, tree->report, &error), -1);
    assert_non_null(strstr(error.text, "one run at a time may tune"));
    assert_tuned(tree);
    tune_restore(&tree->places, lock, &error);
    assert_as_before(tree);
}

static void a_knob_that_cannot_be_set_undoes_the_others(void **state) {
    struct tree *tree = *state;
    struct error error;
    char path[256];
    // Reads as an empty value, fails to be written: the nearest to a driver that refuses.
    snprintf(path, sizeof path, "%s/devices/system/cpu/cpu67/online", tree->root);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/dev/full", path), 0);
    assert_int_equal(tune_apply(&tree->places, 3, tree->report, &error), -1);
    assert_non_null(strstr(error.text, "cpu67/online: cannot be set to '0'"));
    assert_string_equal(get(tree, files[0].path), "powersave");
    assert_string_equal(get(tree, files[1].path), "0");
}

static void a_journal_naming_other_files_writes_none_of_them(void **state) {
    struct tree *tree = *state;
    struct error error;
    put(tree, "precious", "keep");
    FILE *journal = fopen(tree->journal, "w");
    fprintf(journal, "precious\tlost\n../../etc/asmsweep\tlost\n%s\tschedutil\n", files[0].path);
    fclose(journal);
    chmod(tree->journal, 0600);
    assert_int_equal(tune_recover(&tree->places, tree->report, &error), 0);
    assert_string_equal(get(tree, "precious"), "keep");
    assert_string_equal(get(tree, files[0].path), "schedutil");
}

static void a_journal_that_others_may_write_is_not_used(void **state) {
    struct tree *tree = *state;
    struct error error;
    FILE *journal = fopen(tree->journal, "w");
    fprintf(journal, "%s\tschedutil\n", files[0].path);
    fclose(journal);
    chmod(tree->journal, 0666);
    assert_int_equal(tune_recover(&tree->places, tree->report, &error), -1);
    assert_string_equal(get(tree, files[0].path), "powersave");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_tree, remove_tree)
    const struct CMUnitTest tests[] = {
        TEST(what_was_tuned_is_put_back_at_the_end),
        TEST(a_killed_run_is_put_back_at_the_next_start),
        TEST(a_living_run_is_left_alone_and_a_second_refused),
        TEST(a_knob_that_cannot_be_set_undoes_the_others),
        TEST(a_journal_naming_other_files_writes_none_of_them),
        TEST(a_journal_that_others_may_write_is_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
