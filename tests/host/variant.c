// SPDX-License-Identifier: GPL-3.0-or-later
// tests/host: a variant that measures nothing. It prints what a variant would print on the machine
// that a test describes, so that values come, differ, fail and come late when the test says.
//
//     variant [ITERATIONS | --stopwatch SLICES [PATIENCE]]
//
// host.py puts a copy in the place of each binary of a build, with one more line behind the ELF:
// `host=FOLDER`. FOLDER/script has a line for each thing to be said:
//
//     NAMES FROM WORD[=VALUE]...
//
// It holds for the variants that the glob NAMES matches, from their FROM-th execution on (0 is the
// first); of two lines that set one word the later one counts. FOLDER/executions/NAME has a byte
// for each execution so far. The words are those of `words` and `deeds` below.
#include "tests/host/synthetic_cpu.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double core_hz = 3e9;

// What one execution is to do, all of the script's lines taken together.
struct execution {
    struct synthetic_cpu cpu;
    double between;         // sd of what executions differ by, a part of the loop's cost
    double takes;           // seconds before anything is printed
    double flags;           // RFLAGS bits that the loop leaves changed
    double dies;            // signal it dies of; 0: none
    double status;          // exit status
    int hangs, cut, prints; // it never ends; it has no end mark; it prints a line of its own
};

static const struct {
    const char *name;
    size_t offset; // of a double
} words[] = {
#define WORD(name, member)                                                                         \
    { name, offsetof(struct execution, member) }
    WORD("loop", cpu.cycles[SEGMENT_loop]),
    WORD("add", cpu.cycles[SEGMENT_add]),
    WORD("rol", cpu.cycles[SEGMENT_rol]),
    WORD("imul", cpu.cycles[SEGMENT_imul]),
    WORD("noise", cpu.noise),
    WORD("step", cpu.step),
    WORD("drift", cpu.drift),
    WORD("interrupted", cpu.interrupted),
    WORD("other", cpu.second_loop),
    WORD("part", cpu.second_part),
    WORD("later", cpu.later),
    WORD("from", cpu.later_from),
    WORD("duty", cpu.neighbour.duty),
    WORD("spell", cpu.neighbour.spell),
    WORD("slower", cpu.neighbour.slower[SEGMENT_loop]),
    WORD("between", between),
    WORD("takes", takes),
    WORD("flags", flags),
    WORD("dies", dies),
    WORD("status", status),
#undef WORD
};

static const struct {
    const char *name;
    size_t offset; // of an int
} deeds[] = {
    {"hangs", offsetof(struct execution, hangs)},
    {"cut", offsetof(struct execution, cut)},
    {"prints", offsetof(struct execution, prints)},
};

// A fault of the test, not of what it tests: loud, and with a status that no variant has.
_Noreturn static void give_up(const char *what, const char *which) {
    fprintf(stderr, "simulated variant: %s: %s\n", what, which);
    exit(99);
}

static void set_word(struct execution *execution, char *word) {
    char *value = strchr(word, '='), *end = NULL;
    for (size_t i = 0; !value && i < sizeof deeds / sizeof *deeds; i++)
        if (!strcmp(word, deeds[i].name)) {
            *(int *)((char *)execution + deeds[i].offset) = 1;
            return;
        }
    if (!value)
        give_up("no such word", word);
    *value++ = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i].name)) {
            *(double *)((char *)execution + words[i].offset) = strtod(value, &end);
            if (end == value || *end)
                give_up("no number", value);
            return;
        }
    give_up("no such word", word);
}

// The next word of the line, NULL at its end.
static char *next_word(char **rest) {
    char *word;
    while ((word = strsep(rest, " ")) && !*word)
        ;
    return word;
}

// One line of the script, if it speaks of this execution. Behind # stands a comment.
static void take_line(struct execution *execution, char *line, const char *name, long number) {
    line[strcspn(line, "#\n")] = '\0';
    char *rest = line, *names = next_word(&rest), *from = next_word(&rest), *word;
    if (!names)
        return;
    if (!from || !rest)
        give_up("not NAMES FROM WORD...", names);
    if (fnmatch(names, name, 0) || number < strtol(from, NULL, 10))
        return;
    while ((word = next_word(&rest)))
        set_word(execution, word);
}

static void read_script(const char *folder, const char *name, long number,
                        struct execution *execution) {
    char path[PATH_MAX], line[1024];
    *execution = (struct execution){
        .cpu = {.cycles = {1, 1, 3, 16},
                .noise = 0.001,
                // Beside a neighbour, who comes if the script says so: half of the width.
                .neighbour = {.spell = 1e6, .slower = {1.012, 1.004, 1, 1.3, 1.9, 1.9, 1.9, 1.9}}}};
    snprintf(path, sizeof path, "%s/script", folder);
    FILE *stream = fopen(path, "r");
    if (!stream)
        give_up("cannot be read", path);
    while (fgets(line, sizeof line, stream))
        take_line(execution, line, name, number);
    fclose(stream);
}

// The folder named behind the ELF, in the file's last bytes.
static void find_host(char folder[PATH_MAX]) {
    static const char mark[] = "\nhost=";
    char tail[PATH_MAX + 16];
    struct stat status;
    int file = open("/proc/self/exe", O_RDONLY);
    if (file < 0 || fstat(file, &status))
        give_up("cannot be read", "/proc/self/exe");
    off_t from = status.st_size > (off_t)sizeof tail ? status.st_size - (off_t)sizeof tail : 0;
    ssize_t got = pread(file, tail, sizeof tail, from), at = got - (ssize_t)strlen(mark);
    close(file);
    while (at >= 0 && memcmp(tail + at, mark, strlen(mark)))
        at--;
    if (at < 0)
        give_up("no host= behind the program", "/proc/self/exe");
    const char *begin = tail + at + strlen(mark);
    const char *end = memchr(begin, '\n', (size_t)(tail + got - begin));
    if (!end)
        give_up("host= has no end", "/proc/self/exe");
    snprintf(folder, PATH_MAX, "%.*s", (int)(end - begin), begin);
}

// How many executions of this variant came before; this one is counted. By any user.
static long count_execution(const char *folder, const char *name) {
    char path[PATH_MAX];
    struct stat status;
    umask(0);
    snprintf(path, sizeof path, "%s/executions/%s", folder, name);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0 || fstat(file, &status) || write(file, ".", 1) != 1)
        give_up("cannot be written", path);
    close(file);
    return status.st_size;
}

static void sleep_for(double seconds) {
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

// The same for the same execution of the same variant (FNV-1a), so that a test can be repeated.
static unsigned long seed_of(const char *name, long number) {
    unsigned long hash = 2166136261u + (unsigned long)number;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u % 4294967296u;
    return hash | 1;
}

static void vary(struct execution *execution, unsigned long seed) {
    gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(random, seed + 1);
    double factor = 1 + gsl_ran_gaussian(random, execution->between);
    execution->cpu.cycles[SEGMENT_loop] *= factor;
    execution->cpu.second_loop *= factor;
    gsl_rng_free(random);
}

static void print_slices(const struct execution *execution, size_t count, unsigned long seed) {
    struct slices slices;
    synthetic_slices(&execution->cpu, count, seed, &slices);
    printf("slices 2 links");
    for (int segment = 0; segment < SEGMENT_loop; segment++)
        printf(" %u", slices.links[segment]);
    printf(" n");
    for (int segment = 0; segment < SEGMENT_COUNT; segment++)
        printf(" %u", slices.n[segment]);
    printf(" interrupts %d", slices.sees_interrupts);
    for (size_t i = 0; i < count; i++) {
        const struct slice *slice = &slices.slices[i];
        const struct check *check = &slice->check;
        printf("\ns");
        for (int segment = 0; segment < SEGMENT_COUNT; segment++)
            printf(" %lu %lu", slice->ticks[segment][0], slice->ticks[segment][1]);
        printf(" %u", slice->interrupted);
        if (check->times)
            printf("\nc %u %lu %lu %lu %u", check->times, check->ticks[CHECK_before],
                   check->ticks[CHECK_loop], check->ticks[CHECK_after], check->interrupted);
    }
    printf("\n");
    if (execution->flags > 0)
        printf("note flags %.0f\n", execution->flags);
    synthetic_free(&slices);
}

int main(int argc, char **argv) {
    char folder[PATH_MAX];
    struct execution execution;
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    int stopwatch = argc >= 3 && !strcmp(argv[1], "--stopwatch");
    unsigned long number = argc > 1 ? strtoul(argv[stopwatch ? 2 : 1], NULL, 10) : 1;
    if (!number || argc > 4 || (argc > 2 && !stopwatch))
        return 2;
    find_host(folder);
    long before = stopwatch ? count_execution(folder, name) : 0;
    unsigned long seed = seed_of(name, before);
    read_script(folder, name, before, &execution);
    vary(&execution, seed);
    if (stopwatch)
        prctl(PR_SET_PDEATHSIG, SIGKILL); // as the run-time
    sleep_for(stopwatch ? execution.takes
                        : (double)number * execution.cpu.cycles[SEGMENT_loop] / core_hz);
    while (execution.hangs)
        pause();
    if (execution.prints)
        printf("hi\n");
    if (stopwatch)
        print_slices(&execution, number, seed);
    if (execution.dies > 0) {
        fflush(stdout);
        raise((int)execution.dies);
    }
    if (argc > 1 && !execution.cut)
        printf("end %lu\n", number);
    return fflush(stdout) ? 98 : (int)execution.status;
}
