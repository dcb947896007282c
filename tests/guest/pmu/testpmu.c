// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * testpmu: a core PMU for a guest that has none, so that the real perf stat and the
 * kernel's own scheduling of events can be tested there.
 *
 * Its clock is the TSC. Under QEMU's "-icount shift=0" one tick is one instruction
 * that the emulated CPU retired, so "instructions" is true and every other event is a
 * fixed ratio of it: the answers are known. It cannot tell the rings apart: an event
 * with :u counts the kernel as well, and is refused unless user_only=1 accepts it.
 *
 * Parameters: slots and user_only may be changed while it is loaded; hybrid=1 makes
 * two PMUs, cpu_core on CPU 0 and cpu_atom on CPU 1 (which need not exist).
 */
#include <asm/msr.h>
#include <linux/module.h>
#include <linux/perf_event.h>

static int slots = 4;
module_param(slots, int, 0644);
MODULE_PARM_DESC(slots, "events that are counted at a time; the kernel multiplexes the rest");

static bool user_only;
module_param(user_only, bool, 0644);
MODULE_PARM_DESC(user_only, "accept events that exclude the kernel");

static bool hybrid;
module_param(hybrid, bool, 0444);
MODULE_PARM_DESC(hybrid, "register cpu_core and cpu_atom instead of cpu");

/* One row an event: count = ticks / ticks_per_unit * units. busy: it never gets a slot. */
struct event_row {
    u64 code;    /* config of type RAW */
    u64 generic; /* config of type HARDWARE */
    unsigned int units;
    unsigned int ticks_per_unit;
    bool busy;
};

#define NOT_GENERIC (~0ULL)

static const struct event_row rows[] = {
    {0x01, PERF_COUNT_HW_CPU_CYCLES, 2, 1, false},
    {0x02, PERF_COUNT_HW_INSTRUCTIONS, 1, 1, false},
    {0x0103, NOT_GENERIC, 3, 1, false},
    {0x04, NOT_GENERIC, 1, 4, false},
    {0x05, NOT_GENERIC, 1, 1, true},
};

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(umask, "config:8-15");
/* The first argument is a name to be quoted, not an expression. */
/* clang-format off */
PMU_EVENT_ATTR_STRING(cpu-cycles, attr_cycles, "event=0x01");
PMU_EVENT_ATTR_STRING(instructions, attr_instructions, "event=0x02");
PMU_EVENT_ATTR_STRING(test_triple, attr_triple, "event=0x03,umask=0x01");
PMU_EVENT_ATTR_STRING(test_quarter, attr_quarter, "event=0x04");
PMU_EVENT_ATTR_STRING(test_busy, attr_busy, "event=0x05");
/* clang-format on */

struct test_pmu {
    struct pmu pmu;
    const char *name;
    int only_cpu; /* -1: every CPU */
};

static DEFINE_PER_CPU(int, used_slots);

static struct test_pmu *to_test_pmu(struct pmu *pmu) {
    return container_of(pmu, struct test_pmu, pmu);
}

static const struct event_row *find_row(struct perf_event *event) {
    bool generic = event->attr.type == PERF_TYPE_HARDWARE;
    u64 config = event->attr.config;
    int i;

    if (!generic && event->attr.type != event->pmu->type)
        return NULL;
    for (i = 0; i < ARRAY_SIZE(rows); i++)
        if (config == (generic ? rows[i].generic : rows[i].code))
            return &rows[i];
    return NULL;
}

static int test_event_init(struct perf_event *event) {
    const struct event_row *row = find_row(event);

    if (!row)
        return -ENOENT;
    if (is_sampling_event(event))
        return -EINVAL;
    if (event->attr.exclude_user || (event->attr.exclude_kernel && !user_only))
        return -EOPNOTSUPP;
    event->hw.idx = row - rows;
    return 0;
}

/* Whole units only; the remainder of the ticks stays for the next time. */
static void test_read(struct perf_event *event) {
    const struct event_row *row = &rows[event->hw.idx];
    u64 ticks = rdtsc_ordered() - local64_read(&event->hw.prev_count);

    ticks -= ticks % row->ticks_per_unit;
    local64_add(ticks, &event->hw.prev_count);
    local64_add(ticks / row->ticks_per_unit * row->units, &event->count);
}

static void test_start(struct perf_event *event, int flags) {
    event->hw.state = 0;
    local64_set(&event->hw.prev_count, rdtsc_ordered());
}

static void test_stop(struct perf_event *event, int flags) {
    if (event->hw.state & PERF_HES_STOPPED)
        return;
    test_read(event);
    event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int test_add(struct perf_event *event, int flags) {
    if (rows[event->hw.idx].busy || this_cpu_read(used_slots) >= slots)
        return -EAGAIN;
    this_cpu_inc(used_slots);
    event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
    if (flags & PERF_EF_START)
        test_start(event, flags);
    return 0;
}

static void test_del(struct perf_event *event, int flags) {
    test_stop(event, flags);
    this_cpu_dec(used_slots);
}

static int test_filter_match(struct perf_event *event) {
    int only_cpu = to_test_pmu(event->pmu)->only_cpu;

    return only_cpu < 0 || only_cpu == smp_processor_id();
}

static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *page) {
    struct pmu *pmu = dev_get_drvdata(dev);

    return sysfs_emit(page, "%d\n", to_test_pmu(pmu)->only_cpu);
}
static DEVICE_ATTR_RO(cpus);

static struct attribute *format_attrs[] = {&format_attr_event.attr, &format_attr_umask.attr, NULL};
static struct attribute *event_attrs[] = {
    &attr_cycles.attr.attr,  &attr_instructions.attr.attr, &attr_triple.attr.attr,
    &attr_quarter.attr.attr, &attr_busy.attr.attr,         NULL,
};
static struct attribute *cpus_attrs[] = {&dev_attr_cpus.attr, NULL};

static const struct attribute_group format_group = {.name = "format", .attrs = format_attrs};
static const struct attribute_group events_group = {.name = "events", .attrs = event_attrs};
static const struct attribute_group cpus_group = {.attrs = cpus_attrs};

/* perf takes a PMU with a file "cpus" for one of a hybrid CPU: the last group is only theirs. */
static const struct attribute_group *single_groups[] = {&format_group, &events_group, NULL};
static const struct attribute_group *hybrid_groups[] = {&format_group, &events_group, &cpus_group,
                                                        NULL};

static struct test_pmu single_pmu = {.name = "cpu", .only_cpu = -1};
static struct test_pmu core_pmu = {.name = "cpu_core", .only_cpu = 0};
static struct test_pmu atom_pmu = {.name = "cpu_atom", .only_cpu = 1};

static int register_pmu(struct test_pmu *test, const struct attribute_group **groups, int type) {
    test->pmu = (struct pmu){
        .module = THIS_MODULE,
        .attr_groups = groups,
        .task_ctx_nr = perf_hw_context,
        /* Without the first, perf_hw_context is given once in a kernel's life. */
        .capabilities = PERF_PMU_CAP_HETEROGENEOUS_CPUS | PERF_PMU_CAP_EXTENDED_HW_TYPE |
                        PERF_PMU_CAP_NO_INTERRUPT,
        .event_init = test_event_init,
        .add = test_add,
        .del = test_del,
        .start = test_start,
        .stop = test_stop,
        .read = test_read,
        .filter_match = test_filter_match,
    };
    return perf_pmu_register(&test->pmu, test->name, type);
}

static int __init testpmu_init(void) {
    int error;

    if (!hybrid)
        return register_pmu(&single_pmu, single_groups, PERF_TYPE_RAW);
    error = register_pmu(&core_pmu, hybrid_groups, PERF_TYPE_RAW);
    if (error)
        return error;
    error = register_pmu(&atom_pmu, hybrid_groups, -1);
    if (error)
        perf_pmu_unregister(&core_pmu.pmu);
    return error;
}

static void __exit testpmu_exit(void) {
    if (!hybrid) {
        perf_pmu_unregister(&single_pmu.pmu);
        return;
    }
    perf_pmu_unregister(&atom_pmu.pmu);
    perf_pmu_unregister(&core_pmu.pmu);
}

module_init(testpmu_init);
module_exit(testpmu_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("PMU with known answers for tests in an emulated guest");
