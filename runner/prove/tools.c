// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/tools.h"

#include "common/disk.h"
#include "common/memory.h"
#include "common/replace.h"
#include "runner/disassemble/objdump.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Room for each text in the object file, and lines of each in the source; as often as the assembler
// may complain until nothing is left that it complains of.
enum { PLACE = 32, LINES = 4, PASSES = 4 };

// May the text be an instruction at all? No label, directive or assignment.
static bool may_be_one(const char *text) {
    size_t word = strcspn(text, " \t"), next = word + strspn(text + word, " \t");
    return (isalpha((unsigned char)*text) || *text == '{') && text[word - 1] != ':' &&
           text[next] != '=' && !memchr(text, '=', word);
}

// Each text at a place of its own; of those that are refused the place alone. A local label that a
// text goes to stands before all and behind all.
static int write_source(const char *path, const char *const *texts, size_t count,
                        const bool *refused, struct error *error) {
    static const char labels[] = "0: 1: 2: 3: 4: 5: 6: 7: 8: 9:";
    struct replacement file;
    if (replace_begin(path, &file, error))
        return -1;
    fprintf(file.stream, "%s ", labels);
    for (size_t i = 0; i < count * SYNTAXES; i++)
        fprintf(file.stream, ".org %zu, 0x90\n%s\n%s\n.att_syntax prefix\n", i * PLACE,
                i % SYNTAXES == SYNTAX_INTEL ? ".intel_syntax noprefix" : "",
                refused[i] ? "" : texts[i / SYNTAXES]);
    fprintf(file.stream, "%s\n", labels);
    return replace_end(&file, 0, error);
}

// Mark what the assembler complains of: "PATH:LINE: Error: ...". How many are new.
static size_t mark_refused(const char *complaints, size_t count, bool *refused) {
    static const char mark[] = ": Error: ";
    size_t marked = 0;
    for (const char *at = complaints; (at = strstr(at, mark)); at += sizeof mark - 1) {
        const char *digits = at;
        while (digits > complaints && isdigit((unsigned char)digits[-1]))
            digits--;
        size_t line = strtoul(digits, NULL, 10), i = (line - 1) / LINES;
        if (line == 0 || i >= count || refused[i])
            continue;
        refused[i] = true;
        marked++;
    }
    return marked;
}

static int assemble(const struct tools *tools, const char *source, const char *object,
                    const char *const *texts, size_t count, bool *refused, struct error *error) {
    const char *argv[] = {tools->as, "-o", object, source, NULL};
    for (int pass = 0; pass < PASSES; pass++) {
        struct process_result result;
        if (write_source(source, texts, count, refused, error))
            return -1;
        int failed = binutils_run(argv, &result, error);
        bool done = !failed && process_succeeded(&result);
        size_t marked = failed ? 0 : mark_refused(result.errors, count * SYNTAXES, refused);
        process_free(&result);
        if (failed || done)
            return failed;
        if (!marked)
            break;
    }
    return error_set(error, ERROR_MISSING, tools->as, 0,
                     "it does not say which instruction it refuses; GNU as is needed");
}

static int read_object(const struct tools *tools, const char *object, size_t count,
                       const bool *refused, struct reading *readings, struct error *error) {
    struct disassembly disassembly;
    if (objdump_section(tools->objdump, ".text", &object, 1, &disassembly, error))
        return -1;
    for (size_t i = 0; disassembly.count && i < disassembly.listings[0].count; i++) {
        const struct instruction *found = &disassembly.listings[0].instructions[i];
        size_t at = found->address / PLACE;
        if (found->address % PLACE || at >= count * SYNTAXES || refused[at])
            continue;
        memcpy(readings[at / SYNTAXES].text[at % SYNTAXES], found->text, CANONICAL_SIZE);
    }
    disassembly_free(&disassembly);
    return 0;
}

int tools_read(const struct tools *tools, const char *folder, const char *const *texts,
               size_t count, struct reading *readings, struct error *error) {
    const struct path source = path_make("%s/groups.s", folder);
    const struct path object = path_make("%s/groups.o", folder);
    bool *refused = memory_zero(count * SYNTAXES, sizeof *refused);
    memset(readings, 0, count * sizeof *readings);
    for (size_t i = 0; i < count * SYNTAXES; i++)
        refused[i] = !may_be_one(texts[i / SYNTAXES]);
    int failed = assemble(tools, source.text, object.text, texts, count, refused, error) ||
                         read_object(tools, object.text, count, refused, readings, error)
                     ? -1
                     : 0;
    unlink(source.text);
    unlink(object.text);
    free(refused);
    return failed;
}
