# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Slurm of several nodes on one machine, in one folder, stopped whatever happens.

munged with its own key and socket, slurmctld, and one `slurmd -N NAME` a node (Debian's build has
MULTIPLE_SLURMD). No cgroups, no database, no systemd.
"""

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "srun", "scontrol")
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

CONFIGURATION = """\
ClusterName=asmsweeptest
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SlurmdTimeout=5
MessageTimeout=5
BatchStartTimeout=3
KillWait=2
SchedulerParameters=sched_interval=3,bf_interval=3
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
"""


# Nothing in the configuration uses cgroups, but slurmd loads a plugin for them, and the one that it
# finds by itself gives up where none are mounted; the first version's asks for nothing.
CGROUPS = "CgroupPlugin=cgroup/v1\n"


class CannotStart(Exception):
    """Why there is no Slurm here: the reason of a skip."""


def free_ports(count):
    """Numbers that nothing listens on now."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_for(what, condition, seconds):
    """Until condition() is true; its value. AssertionError that says what never came."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.2)
    raise AssertionError(f"{what} did not come within {seconds} s")


def processes(*marks):
    """Living processes whose environment holds all `marks` ("NAME=VALUE"): {pid: parent}."""
    found = {}
    for name in os.listdir("/proc"):
        try:
            variables = Path(f"/proc/{name}/environ").read_bytes() if name.isdigit() else b""
            if all(mark.encode() in variables.split(b"\0") for mark in marks):
                stat = Path(f"/proc/{name}/stat").read_text()
                found[int(name)] = int(stat.rsplit(")", 1)[1].split()[1])
        except OSError:
            pass  # it has ended meanwhile, or is not ours
    return found


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def die_with_us():
    """In a child before exec: a test that is killed leaves no daemon behind (prctl(2))."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)


class Cluster:
    """nodes: {name: features}. Use as a context manager."""

    def __init__(self, folder, nodes):
        self.folder, self.nodes = Path(folder), nodes
        # TMPDIR: what a killed node leaves behind goes with the folder.
        self.environment = {**os.environ, "PATH": PATH, "LC_ALL": "C", "TMPDIR": str(folder),
                            "SLURM_CONF": str(self.folder / "slurm.conf")}
        self.daemons = {}  # by name; a node's slurmd by the node's

    def _configure(self):
        ports = free_ports(len(self.nodes) + 1)
        text = CONFIGURATION.format(host=socket.gethostname().split(".")[0], port=ports[0],
                                    user=pwd.getpwuid(os.geteuid()).pw_name, folder=self.folder)
        for (name, features), port in zip(self.nodes.items(), ports[1:]):
            text += f"NodeName={name} NodeAddr=127.0.0.1 Port={port} CPUs=2 Feature={features}\n"
        text += (f"PartitionName=test Nodes={','.join(self.nodes)} Default=YES "
                 "MaxTime=INFINITE State=UP OverSubscribe=EXCLUSIVE\n")
        (self.folder / "slurm.conf").write_text(text)
        (self.folder / "cgroup.conf").write_text(CGROUPS)

    def _start(self, name, *argv):
        """A daemon that stays in the foreground, so that it is our child."""
        log = (self.folder / f"{name}.out").open("ab")
        self.daemons[name] = subprocess.Popen(argv, env=self.environment, stdout=log, stderr=log,
                                              stdin=subprocess.DEVNULL, preexec_fn=die_with_us)

    def _start_munge(self):
        munge = self.folder / "munge"
        munge.mkdir(mode=0o700)
        (munge / "key").write_bytes(os.urandom(1024))
        (munge / "key").chmod(0o400)
        self._start("munged", "munged", "--foreground", "--force", f"--key-file={munge}/key",
                    f"--socket={munge}/socket", f"--pid-file={munge}/pid",
                    f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        wait_for("munge's socket", (munge / "socket").exists, 60)

    def __enter__(self):
        missing = [name for name in PROGRAMS if not shutil.which(name, path=PATH)]
        if missing:
            raise CannotStart(f"{missing[0]} is missing: run './asmsweep setup --tests'")
        (self.folder / "state").mkdir()
        try:
            self._configure()
            self._start_munge()
            self._start("slurmctld", "slurmctld", "-D", "-f", str(self.folder / "slurm.conf"))
            wait_for("slurmctld", lambda: self.run("sinfo", "-h", check=False), 60)
            for name in self.nodes:
                self.start_node(name)
            wait_for("all nodes idle", lambda: self.run(
                "sinfo", "-h", "-N", "-o", "%T").split() == ["idle"] * len(self.nodes), 60)
        except (AssertionError, OSError, subprocess.CalledProcessError) as problem:
            self.__exit__()
            raise CannotStart(f"Slurm does not start here: {problem}")
        return self

    def __exit__(self, *_):
        for daemon in reversed(list(self.daemons.values())):
            daemon.terminate()
        for daemon in self.daemons.values():
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        # Jobs outlive a slurmd; theirs is the only other use of this cluster's configuration.
        for pid in processes(self._mark()):
            self._kill(pid)

    @staticmethod
    def _kill(pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def run(self, *argv, check=True):
        """stdout of a program of Slurm."""
        return subprocess.run(argv, env=self.environment, capture_output=True, text=True,
                              check=check, timeout=60).stdout

    def start_node(self, name):
        self._start(name, "slurmd", "-D", "-N", name, "-f", str(self.folder / "slurm.conf"))

    def kill_slurmd(self, name):
        """The daemon alone, without a chance to say so."""
        self.daemons[name].kill()
        self.daemons.pop(name).wait()

    def _job_processes(self, job):
        """The slurmstepd of a job and all it started; empty until its runner is there."""
        tasks = processes(self._mark(), f"SLURM_JOB_ID={job}")
        if not any("/asmsweep-run run " in command_line(pid) for pid in tasks):
            return []
        # slurmstepd writes its title over its environment: found as a parent.
        return [parent for parent in set(tasks.values())
                if command_line(parent).startswith(f"slurmstepd: [{job}.")] + list(tasks)

    def wait_for_runner(self, job):
        """Slurm calls a job RUNNING before anything of it runs."""
        return wait_for(f"the runner of job {job}", lambda: self._job_processes(job), 30)

    def kill_node(self, name, job):
        """As if the power went: slurmd, the job's slurmstepd and all below it."""
        self.wait_for_runner(job)
        self.kill_slurmd(name)
        for pid in self._job_processes(job):
            self._kill(pid)

    def _mark(self):
        return f"SLURM_CONF={self.environment['SLURM_CONF']}"

    def job(self, number):
        """(state, node) of a job now, ("", "") if Slurm has forgotten it."""
        line = self.run("squeue", "-h", "-t", "all", "-j", str(number), "-o", "%T|%N", check=False)
        return tuple(line.strip().split("|")) if line.strip() else ("", "")
