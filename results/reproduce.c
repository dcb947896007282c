// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/reproduce.h"

#include <math.h>
#include <string.h>

// Median over the slices of loop ticks an iteration over ticks an `add`: field numbers are those
// of a variant's --stopwatch output (docs/interfaces.md).
#define CYCLES                                                                                     \
    "awk '$1==\"slices\"{links=$4; na=$8; nl=$11}\n"                                               \
    "       $1==\"s\"{print (($9-$8)/nl) / (($3-$2)/(na*links))}' |\n"                             \
    "  sort -n | awk '{v[NR]=$1} END{print v[int((NR+1)/2)], \"cycles an iteration\"}'"

static void write_check(FILE *stream) {
    fprintf(stream,
            "1. Is everything as it was packed?\n\n"
            "  sha256sum -c SHA256SUMS\n\n"
            "   proof.csv in run/ has the same sums of the programs (elf_sha256) and of the\n"
            "   loops inside them (loop_sha256: the bytes from loop_setup to the end of the\n"
            "   teardown).\n\n");
}

static void write_look(FILE *stream, const char *example) {
    fprintf(stream,
            "2. What does a program do?\n\n"
            "  objdump -d -j .loop bin/%s\n"
            "  less src/%s.s\n\n"
            "   One loop: the count in EAX, the body, dec, jnz. run/variants.csv has the mix of\n"
            "   each.\n\n",
            example, example);
}

static void write_user_mode(FILE *stream, const char *example) {
    fprintf(stream,
            "3. User mode (CPL3). Any Linux x86-64, nothing to install:\n\n"
            "  bin/%s --stopwatch 200 |\n  %s\n\n"
            "   The unit is a dependent add: one core cycle a link. With a PMU:\n\n"
            "  perf stat -e cycles:u,instructions:u bin/%s\n\n"
            "   Programs whose line in run/variants.csv says needs=iopl execute CLI or STI. On\n"
            "   Linux 5.5 and later these do not reach the flag in user mode (they fault, or are\n"
            "   skipped): a time taken there is not the instruction's.\n\n",
            example, CYCLES, example);
}

static void write_guest(FILE *stream, bool guest) {
    fprintf(stream, "4. Kernel mode (CPL0), and CPL3 with IOPL=3, without touching the host's "
                    "kernel:\n\n");
    if (!guest) {
        fprintf(stream, "   This bundle was made without the guest's kernel and packs.\n\n");
        return;
    }
    static const char *const rings[] = {"cpl0", "cpl3"};
    for (size_t i = 0; i < 2; i++)
        fprintf(
            stream,
            "  qemu-system-x86_64 -M microvm -accel kvm -cpu host,arch-capabilities=off -m 512 \\\n"
            "    -nodefaults -display none -no-reboot -kernel guest/kernel -initrd guest/pack-%s "
            "\\\n"
            "    -chardev stdio,id=d -device isa-debugcon,iobase=0xe9,chardev=d \\\n"
            "    -device isa-debug-exit,iobase=0xf4,iosize=1\n\n",
            rings[i]);
    fprintf(stream,
            "   Status 33 is the orderly end. Each program's stopwatch lines stand between\n"
            "   records that begin with @asw; the awk above reads them. It needs a /dev/kvm on\n"
            "   silicon: under emulation (-accel tcg) the times mean nothing.\n\n");
}

static void write_kernel(FILE *stream, const char *example) {
    fprintf(stream,
            "   Programs that the kernel executes (engine bpf), of which the build has objects:\n\n"
            "  less run/code/%s.txt src/%s.s\n\n"
            "   The first shows what ran: the native code that the kernel made, and the bytes of\n"
            "   its functions that were called. run/proof.csv has its sum (listing_sha256).\n\n",
            example, example);
}

// The first variant of the run that has a value, for the text's examples: one that the kernel
// executes, or any other. NULL: there is none.
static const char *find_example(const struct summary_row *summary, size_t count, bool kernel) {
    const char *found = NULL;
    for (size_t i = count; i--;)
        if (!strcmp(summary[i].engine, "bpf") == kernel && (!found || !isnan(summary[i].value)))
            found = summary[i].variant;
    return found;
}

void reproduce_write(const struct summary_row *summary, size_t count, bool guest,
                     const char *unfinished, FILE *stream) {
    const char *example = find_example(summary, count, false);
    const char *kernel = find_example(summary, count, true);
    fprintf(stream,
            "What this is\n\n"
            "The programs, sources and results of one run of asmsweep: sweep %s, run %s,\n"
            "on %s (family %s, model %s, stepping %s, microcode %s).\n"
            "%s%s%sNothing below needs asmsweep.\n\n",
            summary->sweep, summary->run_id, summary->cpu_name, summary->cpu_family,
            summary->cpu_model, summary->cpu_stepping, summary->microcode,
            unfinished[0] ? "The run was " : "", unfinished, unfinished[0] ? ".\n" : "");
    write_check(stream);
    if (example)
        write_look(stream, example);
    if (kernel)
        write_kernel(stream, kernel);
    if (example)
        write_user_mode(stream, example);
    write_guest(stream, guest);
    fprintf(stream,
            "5. What was found: run/costs.csv (costs with intervals), run/summary.csv (one\n"
            "   row a program), run/measurements.csv (each execution), run/samples.csv (each\n"
            "   slice), run/environment.csv (the machine). A value that is missing is empty\n"
            "   and its status says why.\n");
}
