// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-run doctor: what each engine can do here, and which variants cannot run.
#include "runner/run/command.h"

#include "common/options.h"
#include "runner/engine/engine.h"
#include "runner/host/machine.h"
#include "runner/run/plan.h"

static void print_engine(const struct engine *engine, const struct engine_probe *probe) {
    printf("engine %s: %s\n", engine->name, engine->about);
    if (!probe->usable) {
        printf("  cannot be used: %s\n", probe->reason);
        return;
    }
    printf("  usable%s%s\n", *probe->reason ? ": " : "", probe->reason);
    if (engine->target == TARGET_x86)
        printf("  core cycles (PMU): %s, %s\n", probe->has_pmu ? "yes" : "no", probe->pmu_reason);
    printf("  CLI, STI, POPF at CPL%d: %s, %s\n", probe->ring, privilege_name(probe->privilege),
           probe->privilege_reason);
}

// Count the variants of a build that this engine refuses.
static void print_prediction(const struct plan *plan, const struct engine *engine,
                             const struct engine_probe *probe) {
    size_t refused = 0, unproved = 0, all = 0;
    for (size_t i = 0; i < plan->count; i++) {
        struct engine_job job = plan_job(plan, i);
        struct execution execution;
        if (job.target != engine->target)
            continue;
        all++;
        unproved += plan->rows[i].unproved != 0;
        refused += !engine_may_run(&job, probe, &execution);
    }
    char why[320];
    double cycles;
    if (!all)
        return;
    if (probe->usable && engine->needs_unit && !plan_calibrator(plan, &cycles, why, sizeof why))
        printf("%s with engine %s: no unit: %s\n", plan->sweep, engine->name, why);
    else if (probe->usable)
        printf("%s with engine %s: %zu of %zu variants can run, %zu are refused or emulated, %zu "
               "unproved\n",
               plan->sweep, engine->name, all - refused - unproved, all, refused, unproved);
}

// One engine alone, for a script: why it cannot be used, and status 3; or 0.
static int examine_engine(const char *name, const char *guest_kernel, struct error *error) {
    const struct engine *engine = engine_find(name);
    struct core cores[2];
    struct engine_probe probe;
    if (!engine)
        return error_set(error, ERROR_INPUT, NULL, 0, "no engine '%s'; doctor lists them", name);
    machine_cores(cores);
    struct engine_settings settings = {.cpu = cores[0].cpu, .guest_kernel = guest_kernel};
    engine->probe(&settings, &probe);
    printf("%s\n", probe.usable ? "usable" : probe.reason);
    return probe.usable ? 0 : ERROR_MISSING;
}

int command_doctor(int argc, char **argv, struct error *error) {
    const char *guest_kernel = NULL, *build = NULL, *only = NULL;
    const struct option_row rows[] = {
        {"engine", 0, OPTION_TEXT, &only, "NAME", 0, 0,
         "one engine alone: why it cannot be used, and status 3"},
        {"guest-kernel", 0, OPTION_TEXT, &guest_kernel, "FILE", 0, 0, "the guest engine's kernel"},
    };
    const struct option_list list = {"asmsweep-run", "doctor [BUILD-DIR]",
                                     "Says what can be measured here and why not.", rows,
                                     sizeof rows / sizeof *rows};
    struct plan plan = {0};
    size_t engine_count;
    if (options_parse(&list, argc, argv, &build, 0, 1, error) ||
        (build && plan_read(build, NULL, &plan, error))) {
        plan_free(&plan);
        return -1;
    }
    if (only)
        return examine_engine(only, guest_kernel, error);
    struct core cores[2];
    struct machine machine;
    size_t core_count = machine_cores(cores);
    machine_describe(cores[0].cpu, &machine);
    printf("%s (%s family %s model %s stepping %s, microcode %s)\n", machine.cpu_name,
           machine.cpu_vendor, machine.cpu_family, machine.cpu_model, machine.cpu_stepping,
           *machine.microcode ? machine.microcode : "unknown");
    printf("hypervisor: %s; kernel: %s; measures on CPU %d", machine.hypervisor, machine.kernel,
           cores[0].cpu);
    printf(core_count > 1 ? " (%s), then CPU %d (%s)\n" : "\n", cores[0].type, cores[1].cpu,
           cores[1].type);
    doctor_cores();
    const struct engine *const *engines = engine_list(&engine_count);
    for (size_t i = 0; i < engine_count; i++) {
        struct engine_settings settings = {.cpu = cores[0].cpu, .guest_kernel = guest_kernel};
        struct engine_probe probe;
        engines[i]->probe(&settings, &probe);
        print_engine(engines[i], &probe);
        if (build)
            print_prediction(&plan, engines[i], &probe);
    }
    plan_free(&plan);
    return 0;
}
