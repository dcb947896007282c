# SPDX-License-Identifier: GPL-3.0-or-later
"""The unpacked Debian kernel: where setup/fetch-guest-kernel put it, and its parts."""

import lzma
import os
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

from .initramfs import Initramfs
from .missing import MissingPart, program

# Offsets of the x86 boot protocol (Documentation/x86/boot.rst, version 2.08 and later).
_SETUP_SECTORS = 0x1F1
_PAYLOAD_OFFSET_AND_LENGTH = 0x248
_SECTOR = 512
_XZ = b"\xfd7zXZ\0"


class Kernel:
    """A complete cache folder. Raises MissingPart where there is none."""

    def __init__(self, cache: Path) -> None:
        stamp = cache / "release"
        if not stamp.is_file():
            raise MissingPart(f"no kernel in {cache}: run './asmsweep setup --tests'")
        self.cache = cache
        self.tree = cache / "tree"
        self.release = stamp.read_text(encoding="ascii").strip()

    @property
    def busybox(self) -> Path:
        return self.tree / "bin/busybox"

    def bootable(self) -> Path:
        """The uncompressed kernel: QEMU enters it by PVH, which spares unpacking under TCG.
        One that is not compressed with xz unpacks itself."""
        path = self.cache / f"vmlinux-{self.release}"
        packed = self.tree / f"boot/vmlinuz-{self.release}"
        if not path.is_file():
            payload = _payload(packed.read_bytes())
            if payload[:len(_XZ)] != _XZ:
                return packed
            # Four bytes of uncompressed size follow the stream; the decompressor stops before them.
            _write_whole(path, lzma.LZMADecompressor().decompress(payload))
        return path

    def add_modules(self, files: Initramfs, names: list[str]) -> None:
        """Put the named modules, not what they depend on, in /modules of the guest."""
        found = {path.stem: path for path in (self.tree / "lib/modules").rglob("*.ko")}
        for name in names:
            files.file(f"/modules/{name}.ko", found[name])

    def build_module(self, source: Path, build: Path) -> Path:
        """Build the one-file module `source` (NAME.c) in the folder `build`; returns NAME.ko."""
        if " " not in f"{self.tree}{build}":
            return self._make_module(self.tree, source, build)
        # The kernel's Makefiles take no spaces in a path: a copy, in a place without.
        build.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="asmsweep-module-") as name:
            plain = Path(name)
            shutil.copytree(self.tree / "usr", plain / "usr", symlinks=True,
                            ignore=shutil.ignore_patterns("share"))
            module = self._make_module(plain, source, plain / "module")
            return Path(shutil.copy(module, build))

    def _make_module(self, tree: Path, source: Path, build: Path) -> Path:
        make = program("make", "run './asmsweep setup --tests'")
        build.mkdir(parents=True, exist_ok=True)
        _write_if_changed(build / source.name, source.read_bytes())
        _write_if_changed(build / "Kbuild", f"obj-m := {source.stem}.o\n".encode())
        done = subprocess.run(
            [make, "-C", str(tree / f"usr/src/linux-headers-{self.release}"),
             f"M={build}", "modules"],
            capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
        if done.returncode != 0:
            raise RuntimeError(f"{source} does not build:\n{done.stdout}{done.stderr}")
        return build / f"{source.stem}.ko"


def _payload(image: bytes) -> bytes:
    """The compressed kernel inside a bzImage; Debian 12's own with xz, newer ones with zstd."""
    protected_mode = (image[_SETUP_SECTORS] + 1) * _SECTOR
    offset, length = struct.unpack_from("<II", image, _PAYLOAD_OFFSET_AND_LENGTH)
    start = protected_mode + offset
    return image[start:start + length]


def _write_whole(path: Path, data: bytes) -> None:
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_bytes(data)
    partial.rename(path)


def _write_if_changed(path: Path, data: bytes) -> None:
    if not path.is_file() or path.read_bytes() != data:
        path.write_bytes(data)
