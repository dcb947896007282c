# SPDX-License-Identifier: GPL-3.0-or-later
"""Boots for the guest tests: each once a session, its checks read what came back.

Environment, set by CMakeLists.txt:
ASMSWEEP_GUEST_KERNEL    cache made by setup/fetch-guest-kernel; of a newer kernel: with -newer
ASMSWEEP_GUEST_PROGRAMS  folder with the static programs of programs/
ASMSWEEP_GUEST_BIN       folder with asmsweep-run and asmsweep-prove
ASMSWEEP_GUEST_WORK      folder for what the boots leave: console, initramfs, channel
"""

import os
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

from harness.initramfs import Initramfs
from harness.kernel import Kernel
from harness.machine import INSIDE, Outcome, base_root, boot
from harness.missing import MissingPart, program

HERE = Path(__file__).resolve().parent
PACKAGES = "run './asmsweep setup --tests'"


def _skip_all(missing: MissingPart) -> NoReturn:
    """End this boot's test as a visible skip: CTest's SKIP_RETURN_CODE is 77."""
    pytest.exit(f"skipped: {missing}", returncode=77)


def _folder(variable: str) -> Path:
    return Path(os.environ[variable])


def _root(kernel: Kernel, programs: list[str]) -> Initramfs:
    files = base_root(kernel)
    for name in programs:
        files.program(f"/usr/bin/{name}", _folder("ASMSWEEP_GUEST_PROGRAMS") / name)
    return files


def _add_sweep(files: Initramfs, toml: Path, build: Path) -> None:
    """Build the sweep as a user would, and put all that a test box needs in /sweeps/NAME."""
    prove = _folder("ASMSWEEP_GUEST_BIN") / "asmsweep-prove"
    for command in (["cmake", "-S", HERE.parent.parent, "-B", build, "-G", "Ninja",
                     f"-DASMSWEEP_SWEEP={toml}", f"-DASMSWEEP_PROVE={prove}"],
                    ["cmake", "--build", build]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    files.tree(f"/sweeps/{toml.stem}/bin", build / "bin")
    for table in ("variants.csv", "proof.csv"):
        files.file(f"/sweeps/{toml.stem}/{table}", build / table)


@pytest.fixture(scope="session")
def kernel() -> Kernel:
    try:
        program("qemu-system-x86_64", PACKAGES)
        return Kernel(_folder("ASMSWEEP_GUEST_KERNEL"))
    except MissingPart as missing:
        _skip_all(missing)


@pytest.fixture(scope="session")
def linux(kernel: Kernel) -> Outcome:
    """Debian's kernel with the test PMU, the host's perf, the runner and an icount TSC."""
    work = _folder("ASMSWEEP_GUEST_WORK") / "linux"
    files = _root(kernel, ["loop", "iopl_probe"])
    files.program("/usr/bin/asmsweep-run", _folder("ASMSWEEP_GUEST_BIN") / "asmsweep-run")
    _add_sweep(files, HERE / "astray.toml", work / "astray")
    try:
        for name in ("perf", "setpriv"):
            files.program(f"/usr/bin/{name}", Path(program(name, PACKAGES)))
        module = kernel.build_module(HERE / "pmu/testpmu.c", work / "pmu")
    except MissingPart as missing:
        _skip_all(missing)
    files.file("/modules/testpmu.ko", module)
    files.file("/usr/bin/hang_under_perf", INSIDE / "hang_under_perf")
    scripts = ["iopl.sh", "users.sh", "pmu.sh", "runner.sh", "sweep.sh", "lockdown.sh"]
    return boot(kernel, files, scripts, work, icount=True)


def _add_qemu(files: Initramfs) -> None:
    """QEMU in the guest, for the project's own guest engine there: 50 MB.

    Of its firmware only what `-machine microvm -kernel` loads.
    """
    files.program("/usr/bin/qemu-system-x86_64", Path(program("qemu-system-x86_64", PACKAGES)))
    for name in ("pvh.bin", "bios-microvm.bin"):
        files.file(f"/usr/share/qemu/{name}", Path("/usr/share/qemu") / name)


def _boot_kvm(kernel: Kernel, name: str, **options) -> Outcome:
    """A guest with KVM, QEMU and the guest engine in it, and the scripts' sweep."""
    work = _folder("ASMSWEEP_GUEST_WORK") / name
    files = _root(kernel, ["kvm_probe", "rings"])
    kernel.add_modules(files, ["irqbypass", "ccp", "kvm", "kvm-amd"])
    _add_qemu(files)
    built = _folder("ASMSWEEP_GUEST_BIN")
    files.program("/programs/bin/asmsweep-run", built / "asmsweep-run")
    files.tree("/programs/guest", built.parent / "guest")
    _add_sweep(files, HERE / "astray.toml", work / "astray")
    return boot(kernel, files, ["kvm.sh"], work, **options)


@pytest.fixture(scope="session")
def nested_kvm(kernel: Kernel) -> Outcome:
    """Debian's kernel with KVM on the emulated CPU's SVM; CPUID says that it is emulated."""
    return _boot_kvm(kernel, "kvm")


@pytest.fixture(scope="session")
def hidden_kvm(kernel: Kernel) -> Outcome:
    """The same where CPUID does not say so, so that the engine takes the path of silicon.

    With icount, so that the gate's ticks do not depend on this machine's load.
    """
    return _boot_kvm(kernel, "hidden_kvm", cpu="max,-hypervisor", icount=True)


def _boot_bpf(kernel: Kernel, name: str) -> Outcome:
    """A guest with programs of the kernel, and objdump, which shows what they become."""
    work = _folder("ASMSWEEP_GUEST_WORK") / name
    files = _root(kernel, [])
    files.program("/usr/bin/asmsweep-run", _folder("ASMSWEEP_GUEST_BIN") / "asmsweep-run")
    _add_sweep(files, HERE / "kernel_few.toml", work / "kernel_few")
    try:
        for needed in ("objdump", "setpriv"):
            files.program(f"/usr/bin/{needed}", Path(program(needed, PACKAGES)))
        program("bpf-as", PACKAGES)
    except MissingPart as missing:
        _skip_all(missing)
    # The emulated TSC may look unstable beside a busy host, and the engine wants its clock.
    return boot(kernel, files, ["bpf.sh"], work, append="tsc=reliable")


@pytest.fixture(scope="session")
def bpf(kernel: Kernel) -> Outcome:
    """Programs of the kernel on Debian's own."""
    return _boot_bpf(kernel, "bpf")


@pytest.fixture(scope="session")
def newer_bpf() -> Outcome:
    """The same on a newer one."""
    try:
        program("qemu-system-x86_64", PACKAGES)
        kernel = Kernel(Path(f"{_folder('ASMSWEEP_GUEST_KERNEL')}-newer"))
    except MissingPart as missing:
        _skip_all(missing)
    return _boot_bpf(kernel, "newer_bpf")
