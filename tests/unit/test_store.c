// SPDX-License-Identifier: GPL-3.0-or-later
// A run's folder: what is in the journal is on disk, and nothing else is.
#include "tests/unit/unit.h"

#include "runner/run/store.h"
#include "tests/unit/run_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char folder[32];
static struct store store;
static struct error error;
static char lines[4096]; // "VARIANT@BLOCK " of each journal line that a resume told us

static int begin(void) {
    struct settings settings = some_settings();
    error = (struct error){0};
    return store_create(folder, &settings, &store, &error);
}

// Open the folder for going on, and say which executions are there.
static int look(void) {
    struct journal journal;
    size_t used = 0;
    lines[0] = '\0';
    error = (struct error){0};
    int failed = store_resume(folder, &journal, &store, &error);
    for (size_t i = 0; i < journal.count; i++)
        used += (size_t)snprintf(lines + used, sizeof lines - used, "%s@%ld ",
                                 journal.lines[i].variant, journal.lines[i].block);
    journal_free(&journal);
    return failed;
}

static int resume(void) {
    return look() || store_go_on(&store, &error) ? -1 : 0;
}

static int append(const char *variant, long block) {
    struct journal_line line = {.block = block, .slot = 3};
    char rows[600], slices[600];
    snprintf(line.variant, sizeof line.variant, "%s", variant);
    int rows_length = snprintf(rows, sizeof rows, "row of %s\r\n", variant);
    int slices_length = snprintf(slices, sizeof slices, "slice of %s %0300d\r\n", variant, 0);
    return store_append(&store, &line, rows, (size_t)rows_length, slices, (size_t)slices_length, 1,
                        &error);
}

static const char *path_of(const char *name) {
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static long size_of(const char *name) {
    struct stat status;
    return stat(path_of(name), &status) ? -1 : (long)status.st_size;
}

static void put(const char *name, const char *text) {
    FILE *stream = fopen(path_of(name), "a");
    fputs(text, stream);
    fclose(stream);
}

static int folder_up(void **state) {
    (void)state;
    make_folder(folder);
    return 0;
}

static int folder_down(void **state) {
    (void)state;
    store_close(&store);
    remove_folder(folder);
    return 0;
}

static void what_was_appended_is_there_after_a_resume(void **state) {
    (void)state;
    assert_int_equal(begin(), 0);
    assert_int_equal(append("a", 0), 0);
    assert_int_equal(append("b", 0), 0);
    long measurements = size_of("measurements.csv"), samples = size_of("samples.csv");
    store_close(&store);
    assert_int_equal(resume(), 0);
    assert_string_equal(lines, "a@0 b@0 ");
    assert_int_equal(store.files[STORE_measurements].bytes, measurements);
    assert_int_equal(store.files[STORE_samples].bytes, samples);
    assert_int_equal(append("c", 1), 0);
    store_close(&store);
    assert_int_equal(resume(), 0);
    assert_string_equal(lines, "a@0 b@0 c@1 ");
}

static void a_second_run_into_the_folder_is_refused(void **state) {
    (void)state;
    assert_int_equal(begin(), 0);
    assert_int_equal(append("a", 0), 0);
    store_close(&store);
    long before = size_of("measurements.csv");
    assert_int_equal(begin(), -1);
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_contains(error.text, "holds a run already: --resume resumes it");
    assert_int_equal(size_of("measurements.csv"), before);
}

static void a_folder_that_is_being_written_is_refused_to_everybody_else(void **state) {
    (void)state;
    assert_int_equal(begin(), 0);
    assert_int_equal(append("a", 0), 0);
    struct store first = store;
    put("measurements.csv", "row that is not in the journal yet\r\n");
    long before = size_of("measurements.csv");
    assert_int_equal(resume(), -1);
    assert_contains(error.text, "another run is writing here");
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_int_equal(size_of("measurements.csv"), before);
    store_close(&store);
    assert_int_equal(begin(), -1);
    assert_contains(error.text, "another run is writing here");
    store_close(&store);
    store = first;
}

static void nothing_to_resume_is_said(void **state) {
    (void)state;
    assert_int_equal(resume(), -1);
    assert_contains(error.text, "/journal: no run to resume here: No such file or directory");
}

static void torn_ends_of_all_three_files_are_cut_off(void **state) {
    (void)state;
    assert_int_equal(begin(), 0);
    assert_int_equal(append("a", 0), 0);
    long measurements = size_of("measurements.csv"), samples = size_of("samples.csv");
    long journal = size_of("journal");
    store_close(&store);
    put("measurements.csv", "row of b\r\nrow of");
    put("samples.csv", "slice of b");
    put("journal", "done 0 0 4 b 12");
    assert_int_equal(resume(), 0);
    assert_string_equal(lines, "a@0 ");
    assert_int_equal(size_of("measurements.csv"), measurements);
    assert_int_equal(size_of("samples.csv"), samples);
    assert_int_equal(size_of("journal"), journal);
}

static void a_run_that_is_only_looked_at_stays_as_it_is(void **state) {
    (void)state;
    begin();
    append("a", 0);
    assert_int_equal(store_end(&store, "complete", &error), 0);
    store_close(&store);
    put("measurements.csv", "half a ro");
    long before[] = {size_of("journal"), size_of("measurements.csv"), size_of("samples.csv")};
    assert_int_equal(look(), 0);
    assert_string_equal(lines, "a@0 ");
    assert_int_equal(size_of("journal"), before[0]);
    assert_int_equal(size_of("measurements.csv"), before[1]);
    assert_int_equal(store_go_on(&store, &error), 0);
    assert_true(size_of("journal") < before[0]);
    assert_int_equal(size_of("measurements.csv"), before[1] - 9);
    assert_int_equal(size_of("samples.csv"), before[2]);
    store_close(&store);
}

static void a_whole_journal_line_without_its_newline_is_torn_too(void **state) {
    (void)state;
    assert_int_equal(begin(), 0);
    assert_int_equal(append("a", 0), 0);
    assert_int_equal(append("b", 0), 0);
    store_close(&store);
    assert_int_equal(truncate(path_of("journal"), size_of("journal") - 1), 0);
    assert_int_equal(resume(), 0);
    assert_string_equal(lines, "a@0 ");
}

static void a_file_shorter_than_the_journal_says_is_damage(void **state) {
    (void)state;
    static const char *const names[] = {"measurements.csv", "samples.csv"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_int_equal(begin(), 0);
        assert_int_equal(append("a", 0), 0);
        store_close(&store);
        assert_int_equal(truncate(path_of(names[i]), size_of(names[i]) - 1), 0);
        assert_int_equal(resume(), -1);
        assert_contains(error.text, "shorter than the journal says");
        store_close(&store);
        remove_folder(folder);
        assert_int_equal(mkdir(folder, 0777), 0);
    }
}

static void a_folder_whose_journal_never_came_to_be_holds_no_run(void **state) {
    (void)state;
    put("measurements.csv", "left over\r\n");
    put("journal.new", "asmsweep-jour");
    assert_int_equal(begin(), 0);
    assert_int_equal(append("a", 0), 0);
    store_close(&store);
    assert_int_equal(resume(), 0);
    assert_string_equal(lines, "a@0 ");
}

// No file may grow over `bytes` from here on; SIGXFSZ ignored, so that write fails instead.
static void limit_files(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
}

// Append once with room for `bytes` in each file; returns whether it failed.
static int append_within(rlim_t bytes) {
    assert_int_equal(begin(), 0);
    assert_int_equal(append("a", 0), 0);
    long sizes[] = {size_of("measurements.csv"), size_of("samples.csv"), size_of("journal")};
    limit_files(bytes);
    int failed = append("b", 0);
    limit_files(RLIM_INFINITY);
    if (failed) {
        assert_contains(error.text, "what was measured before is kept");
        assert_int_equal(error.kind, ERROR_INPUT);
        assert_int_equal(size_of("measurements.csv"), sizes[0]);
        assert_int_equal(size_of("samples.csv"), sizes[1]);
        assert_int_equal(size_of("journal"), sizes[2]);
    }
    store_close(&store);
    return failed;
}

// Wherever the room ends, what was there before stays, and the run goes on with more room.
static void a_write_that_fails_anywhere_loses_nothing_written_before(void **state) {
    (void)state;
    int failures = 0, successes = 0;
    for (rlim_t room = 100; room < 1500; room += 13) {
        int failed = append_within(room);
        failures += failed != 0;
        successes += failed == 0;
        assert_int_equal(resume(), 0);
        assert_string_equal(lines, failed ? "a@0 " : "a@0 b@0 ");
        assert_int_equal(append("c", 0), 0);
        store_close(&store);
        remove_folder(folder);
        assert_int_equal(mkdir(folder, 0777), 0);
    }
    assert_true(failures > 10);
    assert_true(successes > 10);
}

static void a_journal_that_finds_no_room_leaves_no_run_behind(void **state) {
    (void)state;
    struct settings settings = some_settings();
    memset(settings.build, 'b', sizeof settings.build - 1); // longer than both headers
    limit_files(1000);
    int failed = store_create(folder, &settings, &store, &error);
    limit_files(RLIM_INFINITY);
    assert_int_equal(failed, -1);
    assert_contains(error.text, "journal: cannot be written");
    assert_int_equal(size_of("journal"), -1);
    assert_int_equal(size_of("journal.new"), -1);
    store_close(&store);
    assert_int_equal(begin(), 0);
}

static void a_whole_file_is_replaced_or_left_alone(void **state) {
    (void)state;
    assert_int_equal(begin(), 0);
    assert_int_equal(store_write_file(&store, "summary.csv", "first", 5, &error), 0);
    char *large = calloc(1, 5000);
    limit_files(1000);
    int failed = store_write_file(&store, "summary.csv", large, 5000, &error);
    limit_files(RLIM_INFINITY);
    free(large);
    assert_int_equal(failed, -1);
    assert_contains(error.text, "summary.csv: cannot be written");
    assert_int_equal(size_of("summary.csv"), 5);
    assert_int_equal(size_of("summary.csv.new"), -1);
}

static void a_place_that_cannot_be_made_is_named(void **state) {
    (void)state;
    struct settings settings = some_settings();
    assert_int_equal(store_create("/proc/asmsweep/run", &settings, &store, &error), -1);
    assert_contains(error.text, "/proc/asmsweep/run: the run's folder cannot be made");
    assert_int_equal(error.kind, ERROR_INPUT);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_up, folder_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(what_was_appended_is_there_after_a_resume),
        IN_FOLDER(a_second_run_into_the_folder_is_refused),
        IN_FOLDER(a_folder_that_is_being_written_is_refused_to_everybody_else),
        IN_FOLDER(nothing_to_resume_is_said),
        IN_FOLDER(torn_ends_of_all_three_files_are_cut_off),
        IN_FOLDER(a_run_that_is_only_looked_at_stays_as_it_is),
        IN_FOLDER(a_whole_journal_line_without_its_newline_is_torn_too),
        IN_FOLDER(a_file_shorter_than_the_journal_says_is_damage),
        IN_FOLDER(a_folder_whose_journal_never_came_to_be_holds_no_run),
        IN_FOLDER(a_write_that_fails_anywhere_loses_nothing_written_before),
        IN_FOLDER(a_journal_that_finds_no_room_leaves_no_run_behind),
        IN_FOLDER(a_whole_file_is_replaced_or_left_alone),
        IN_FOLDER(a_place_that_cannot_be_made_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
