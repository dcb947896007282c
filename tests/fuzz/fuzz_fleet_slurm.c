// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever sinfo, squeue and sbatch print: nodes with a name that may become a path, jobs with a
// number, or an error that names the program. What was read is the same when printed and read
// again.
#include "tests/fuzz/fuzz.h"

#include "campaign/fleet/slurm_text.h"

#include <stdio.h>

static void check_nodes(const char *text) {
    struct slurm_nodes nodes, again;
    struct error error = {0};
    if (slurm_parse_nodes(text, &nodes, &error)) {
        must(!strncmp(error.text, "sinfo:", 6));
        free(nodes.nodes);
        return;
    }
    char *printed;
    size_t length;
    FILE *stream = open_memstream(&printed, &length);
    for (size_t i = 0; i < nodes.count; i++) {
        const struct slurm_node *node = &nodes.nodes[i];
        must(!*node->generation || slurm_is_name(node->generation));
        must(!strpbrk(node->generation, "/|,\n"));
        must(*node->state || !slurm_state_usable(node->state));
        fprintf(stream, "%s|%s|%s\n", node->name, node->generation, node->state);
    }
    fclose(stream);
    must(!slurm_parse_nodes(printed, &again, &error) && again.count == nodes.count);
    for (size_t i = 0; i < nodes.count; i++)
        must(!strcmp(again.nodes[i].name, nodes.nodes[i].name) &&
             !strcmp(again.nodes[i].generation, nodes.nodes[i].generation) &&
             !strcmp(again.nodes[i].state, nodes.nodes[i].state));
    free(printed);
    free(again.nodes);
    free(nodes.nodes);
}

static void check_jobs(const char *text) {
    struct slurm_jobs jobs, again;
    struct error error = {0};
    if (slurm_parse_jobs(text, &jobs, &error)) {
        must(!strncmp(error.text, "squeue:", 7));
        free(jobs.jobs);
        return;
    }
    char *printed;
    size_t length;
    FILE *stream = open_memstream(&printed, &length);
    for (size_t i = 0; i < jobs.count; i++) {
        const struct slurm_job *job = &jobs.jobs[i];
        must(job->id > 0 && (*job->state || !slurm_state_alive(job->state)));
        fprintf(stream, "%lld|%s|%s|%s|%s\n", job->id, job->name, job->state, job->reason,
                job->node);
    }
    fclose(stream);
    must(!slurm_parse_jobs(printed, &again, &error) && again.count == jobs.count);
    must(!jobs.count || !memcmp(again.jobs, jobs.jobs, jobs.count * sizeof *jobs.jobs));
    free(printed);
    free(again.jobs);
    free(jobs.jobs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error error = {0};
    long long id = 0;
    char *text = fuzz_text(data, size);
    check_nodes(text);
    check_jobs(text);
    if (slurm_parse_submitted(text, &id, &error))
        must(!strncmp(error.text, "sbatch: ", 8));
    else
        must(id > 0);
    free(text);
    return 0;
}
