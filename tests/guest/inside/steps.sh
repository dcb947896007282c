# SPDX-License-Identifier: GPL-3.0-or-later
# steps.sh: read by the guest's scripts. A step's folder is /out/NAME.

# step NAME COMMAND...: run it; keep the command, its output and its exit status.
step() {
    step_folder=/out/$1
    shift
    mkdir -p "$step_folder"
    chmod 777 "$step_folder" # an ordinary user's perf writes there too
    echo "$*" >"$step_folder/command"
    "$@" >"$step_folder/stdout" 2>"$step_folder/stderr" </dev/null
    echo $? >"$step_folder/status"
}

# as_user COMMAND...: run it without any privilege.
as_user() {
    # busybox has a setpriv too, which cannot change the user and comes before PATH.
    /usr/bin/setpriv --reuid=1000 --regid=1000 --clear-groups "$@"
}

# perf_stat NAME EVENTS COMMAND...: a step under the real perf; its table is the file `perf`.
# $run_as, if set, is put before perf.
perf_stat() {
    perf_name=$1
    perf_events=$2
    shift 2
    step "$perf_name" ${run_as:-} \
        perf stat -x ';' -o "/out/$perf_name/perf" -e "$perf_events" -- "$@"
}
