# SPDX-License-Identifier: GPL-3.0-or-later
# bpf.sh: programs of the kernel on this one, kernel_few.toml: a run each as root, as an ordinary
# user, and locked down. One block says enough.
. /steps.sh

# run NAME ARGUMENTS...: a step; the run's folder is in the step's.
run() {
    run_name=$1
    shift
    step "$run_name" ${run_as:-} asmsweep-run run /sweeps/kernel_few -o "/out/$run_name/run" \
        --blocks 1 --slices 20 "$@"
}

step doctor asmsweep-run doctor
run as_root --engine bpf
run_as=as_user
run ordinary --engine bpf --only '*.spin.*'
run_as=
mount -t securityfs securityfs /sys/kernel/security
echo confidentiality >/sys/kernel/security/lockdown
run locked --engine bpf --only '*.spin.*'
