// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-results: what the measurements mean. main parses and reports, commands work.
#include "common/options.h"
#include "common/streams.h"
#include "results/commands.h"
#include "results/compare.h"

#include <stdio.h>
#include <string.h>

#define POSITIONALS 2
#define OPTIONS 8 // of one command, at most

struct arguments {
    const char *directory[POSITIONALS];
    const char *published, *build, *builds, *guest, *out, *store, *cpu, *svg;
    double minimum;
    int anonymous, check;
};

struct command {
    const char *program; // that a user types before it
    const char *name, *usage, *about;
    size_t positionals;
    int (*run)(const struct arguments *arguments, struct error *error);
};

static int run_solve(const struct arguments *arguments, struct error *error) {
    return command_solve(arguments->directory[0], arguments->published, stdout, error);
}

static int run_published(const struct arguments *arguments, struct error *error) {
    return command_published(arguments->directory[0], stdout, error);
}

static int run_compare(const struct arguments *arguments, struct error *error) {
    return command_compare(arguments->directory[0], arguments->directory[1], arguments->minimum,
                           stdout, error);
}

static int run_explain(const struct arguments *arguments, struct error *error) {
    return command_explain(arguments->directory[0], arguments->directory[1], stdout, error);
}

static int run_bundle(const struct arguments *arguments, struct error *error) {
    struct bundle_options options = {.directory = arguments->directory[0],
                                     .build = arguments->build,
                                     .builds = arguments->builds,
                                     .guest = arguments->guest,
                                     .out = arguments->out,
                                     .anonymous = arguments->anonymous,
                                     .check = arguments->check,
                                     .notes = stderr};
    return command_bundle(&options, stdout, error);
}

static int run_history(const struct arguments *arguments, struct error *error) {
    struct history_options options = {arguments->store, arguments->cpu, arguments->svg};
    return command_history(arguments->directory[0], &options, stdout, error);
}

static const struct command commands[] = {
    {"asmsweep-results", "solve", "DIR [--published FOLDER]",
     "costs of a run: summary.csv to costs.csv", 1, run_solve},
    {"asmsweep-results", "published", "FOLDER", "the published figures of a folder as costs.csv", 1,
     run_published},
    {"asmsweep", "compare", "BASE NEW [--minimum PART]", "what changed; exit 4 if something did", 2,
     run_compare},
    {"asmsweep", "explain", "DIR VARIANT", "everything about a row", 2, run_explain},
    {"asmsweep", "bundle", "DIR [--anonymous] [--build DIR] [--out FILE]",
     "an archive that a reader can check", 1, run_bundle},
    {"asmsweep", "history", "ITEM [--store DIR] [--cpu NAME] [--svg FILE]", "one cost over time", 1,
     run_history},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static int usage(FILE *stream) {
    fprintf(stream, "usage: asmsweep-results COMMAND ...; --help after a command says more\n");
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(stream, "  %-10s %-44s %s\n", commands[i].name, commands[i].usage,
                commands[i].about);
    return stream == stdout ? 0 : ERROR_INPUT;
}

// An option belongs to one command; the others do not know it.
struct owned_option {
    const char *command;
    struct option_row row;
};

static size_t options_of(const char *command, struct arguments *arguments,
                         struct option_row *rows) {
    const struct owned_option all[] = {
        {"solve",
         {"published", 0, OPTION_TEXT, &arguments->published, "FOLDER", 0, 0,
          "published figures to set beside (results/published)"}},
        {"compare",
         {"minimum", 0, OPTION_PART, &arguments->minimum, "PART", 0, 0,
          "the smallest change to report, e.g. 2% (default 1%, or the noise floor)"}},
        {"history",
         {"store", 0, OPTION_TEXT, &arguments->store, "DIR", 0, 0,
          "where the runs are: DIR/SWEEP/CPU/RUN (default results/data)"}},
        {"history",
         {"cpu", 0, OPTION_TEXT, &arguments->cpu, "NAME", 0, 0,
          "only CPUs with that in their name"}},
        {"history",
         {"svg", 0, OPTION_TEXT, &arguments->svg, "FILE", 0, 0, "draw it there as well"}},
        {"bundle",
         {"build", 0, OPTION_TEXT, &arguments->build, "DIR", 0, 0,
          "the build that was measured (default: what the run's journal says, or BUILDS/SWEEP)"}},
        {"bundle",
         {"builds", 0, OPTION_TEXT, &arguments->builds, "DIR", 0, 0,
          "the folder of builds (default build)"}},
        {"bundle",
         {"check", 0, OPTION_FLAG, &arguments->check, NULL, 0, 0,
          "make no archive: is the run whole? Prints the folder of its build"}},
        {"bundle",
         {"guest", 0, OPTION_TEXT, &arguments->guest, "DIR", 0, 0,
          "folder with the guest's kernel, pack-cpl0 and pack-cpl3"}},
        {"bundle", {"out", 'o', OPTION_TEXT, &arguments->out, "FILE", 0, 0, "the archive"}},
        {"bundle",
         {"anonymous", 0, OPTION_FLAG, &arguments->anonymous, NULL, 0, 0,
          "without host name, kernel version and kernel command line"}},
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].command, command) == 0)
            rows[count++] = all[i].row;
    return count;
}

static int run_command(const struct command *command, int argc, char **argv) {
    struct arguments arguments = {
        .minimum = COMPARE_MINIMUM, .store = "results/data", .builds = "build"};
    struct option_row rows[OPTIONS];
    struct option_list list = {command->usage, command->about, rows,
                               options_of(command->name, &arguments, rows)};
    struct error error = {0};
    size_t given = 0;
    int parsed = options_parse(&list, argc, argv, arguments.directory, POSITIONALS, &given, &error);
    if (parsed > 0) {
        char called[64];
        snprintf(called, sizeof called, "%s %s", command->program, command->name);
        options_help(&list, called, stdout);
        return 0;
    }
    if (parsed == 0 && given != command->positionals)
        parsed =
            error_set(&error, ERROR_INPUT, NULL, 0, "%s takes %s", command->name, command->usage);
    if (parsed == 0 && command->run(&arguments, &error) == 0)
        return 0;
    fprintf(stderr, "asmsweep-results: %s\n", error.text);
    return error.kind != ERROR_NONE ? (int)error.kind : ERROR_INPUT;
}

static int run_program(int argc, char **argv) {
    if (argc < 2)
        return usage(stderr);
    if (strcmp(argv[1], "--help") == 0)
        return usage(stdout);
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return run_command(&commands[i], argc - 1, argv + 1);
    fprintf(stderr, "asmsweep-results: no command %s\n", argv[1]);
    return usage(stderr);
}

int main(int argc, char **argv) {
    streams_open();
    return streams_close("asmsweep-results", run_program(argc, argv));
}
