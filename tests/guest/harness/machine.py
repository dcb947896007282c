# SPDX-License-Identifier: GPL-3.0-or-later
"""One boot: a script runs in the guest, its steps come back as files.

The guest's first serial line is its console, the second carries a tar of /out.
What came back is believed only with the file `complete`, which the guest adds last.
"""

import io
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

from .initramfs import Initramfs
from .kernel import Kernel
from .missing import program

INSIDE = Path(__file__).resolve().parent.parent / "inside"


@dataclass(frozen=True)
class Step:
    """What one command did in the guest (`step NAME COMMAND...` of inside/steps.sh)."""

    command: str
    status: int
    stdout: str
    stderr: str
    files: dict[str, str]  # whatever else it left in its folder, by name


class Outcome:
    """The steps of a finished boot, and its console for the message of a failure."""

    def __init__(self, archive: bytes, console: str) -> None:
        files = _untar(archive)
        if "complete" not in files:
            raise RuntimeError("the guest did not finish; the end of its console:\n"
                               + "\n".join(console.splitlines()[-40:]))
        self.console = console
        self._files = files

    def names(self) -> list[str]:
        return sorted({path.split("/")[0] for path in self._files if "/" in path})

    def step(self, name: str) -> Step:
        """Raises KeyError where the guest never came to that step."""
        prefix = name + "/"
        files = {path[len(prefix):]: text for path, text in self._files.items()
                 if path.startswith(prefix)}
        return Step(files.pop("command").strip(), int(files.pop("status")),
                    files.pop("stdout"), files.pop("stderr"), files)


def base_root(kernel: Kernel) -> Initramfs:
    """A guest that boots and can run steps: busybox and /init."""
    files = Initramfs()
    files.character_device("/dev/console", 5, 1)
    for folder in ("/proc", "/sys", "/out", "/run"):
        files.directory(folder)
    files.directory("/tmp", 0o1777)
    files.program("/bin/busybox", kernel.busybox)
    files.symlink("/bin/sh", "busybox")
    files.file("/init", INSIDE / "init")
    files.file("/steps.sh", INSIDE / "steps.sh")
    files.content("/etc/passwd", b"root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\n")
    files.content("/etc/group", b"root:x:0:\nuser:x:1000:\n")
    return files


def boot(kernel: Kernel, files: Initramfs, scripts: list[str], work: Path, *,
         cpu: str = "max", memory_mib: int = 1024, icount: bool = False, append: str = "",
         timeout_s: int = 800) -> Outcome:
    """Run scripts of inside/ in a guest under TCG; console and channel are kept in `work`.

    icount: one tick of the guest's TSC is one instruction, and a sleep costs no time. It
    allows only one CPU: QEMU 7.2 lets a second one wait for the first's timers.
    append: more of the kernel's command line.
    cpu: "max" has SVM; "max,-hypervisor" hides from CPUID that the CPU is emulated.
    """
    qemu = program("qemu-system-x86_64", "run './asmsweep setup --tests'")
    work.mkdir(parents=True, exist_ok=True)
    initrd, console, channel = (work / name for name in ("initrd", "console", "out.tar"))
    for place, script in enumerate(scripts):
        files.file(f"/scripts/{place:02}-{script}", INSIDE / script)
    files.write(initrd)
    channel.write_bytes(b"")
    command = [
        qemu, "-machine", "pc", "-accel", "tcg,thread=single", "-cpu", cpu,
        "-m", str(memory_mib), "-nodefaults", "-display", "none",
        "-no-reboot", "-kernel", str(kernel.bootable()), "-initrd", str(initrd),
        "-append", "console=ttyS0 panic=-1 oops=panic loglevel=7 mitigations=off " + append,
        "-serial", f"file:{console}", "-serial", f"file:{channel}",
        *(["-icount", "shift=0,sleep=off"] if icount else []),
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s,
                              check=False)
        failure = done.stderr
    except subprocess.TimeoutExpired:
        failure = f"QEMU stopped after {timeout_s} s"
    text = console.read_text(encoding="utf-8", errors="replace") if console.is_file() else ""
    return Outcome(channel.read_bytes(), text + failure)


def _untar(archive: bytes) -> dict[str, str]:
    """The regular files of a tar, however short it was cut."""
    files: dict[str, str] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            for member in tar:
                if member.isfile():
                    data = tar.extractfile(member).read()
                    files[member.name.removeprefix("./")] = data.decode(errors="replace")
    except tarfile.TarError:
        pass  # a cut archive has no `complete`
    return files
