# SPDX-License-Identifier: GPL-3.0-or-later
"""Lowest layer of the guest harness: a root file system as a cpio archive.

An Initramfs is a dictionary of paths; `write` makes the "newc" archive that the
kernel unpacks (Documentation/driver-api/early-userspace/buffer-format.rst).
"""

import os
import re
import stat
import subprocess
from pathlib import Path

_SHARED_LIBRARY = re.compile(r"(/\S+) \(0x[0-9a-f]+\)")


def shared_libraries(program: Path) -> list[str]:
    """Absolute paths of every library (and the loader) that `program` is linked with.

    Empty for a static program. Raises RuntimeError when one is not found.
    """
    ldd = subprocess.run(["ldd", str(program)], capture_output=True, text=True,
                         env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}, check=False)
    if "not found" in ldd.stdout:
        raise RuntimeError(f"{program}: a shared library is missing:\n{ldd.stdout}")
    return _SHARED_LIBRARY.findall(ldd.stdout)


class Initramfs:
    """Files by their absolute path in the guest; parents are made as needed."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[int, bytes, tuple[int, int]]] = {}

    def directory(self, path: str, mode: int = 0o755) -> None:
        self._add(path, stat.S_IFDIR | mode, b"")

    def character_device(self, path: str, major: int, minor: int) -> None:
        self._add(path, stat.S_IFCHR | 0o600, b"", (major, minor))

    def symlink(self, path: str, target: str) -> None:
        self._add(path, stat.S_IFLNK | 0o777, target.encode())

    def content(self, path: str, data: bytes, mode: int = 0o644) -> None:
        self._add(path, stat.S_IFREG | mode, data)

    def file(self, path: str, source: Path) -> None:
        """Copy `source` (links followed) with its permission bits."""
        # The guest's ordinary user reads it too, whatever umask the clone was made with.
        mode = stat.S_IMODE(source.stat().st_mode) | 0o444
        self.content(path, source.read_bytes(), mode | 0o111 if mode & 0o100 else mode)

    def tree(self, path: str, source: Path) -> None:
        """Copy every file under the folder `source` to `path`."""
        self.directory(path)
        for folder, _, names in os.walk(source):
            for name in names:
                found = Path(folder, name)
                self.file(f"{path}/{found.relative_to(source)}", found)

    def program(self, path: str, source: Path) -> None:
        """Copy a program, and the libraries it needs to the places it looks for them."""
        self.file(path, source)
        for library in shared_libraries(source):
            self.file(library, Path(library))

    def write(self, archive: Path) -> None:
        """Write the archive; its parents come before each entry."""
        with archive.open("wb") as out:
            for inode, (path, entry) in enumerate(sorted(self._entries.items()), start=1):
                out.write(_newc(path, inode, *entry))
            out.write(_newc("TRAILER!!!", 0, 0, b"", (0, 0)))

    def _add(self, path: str, mode: int, data: bytes, device: tuple[int, int] = (0, 0)) -> None:
        name = os.path.normpath(path).lstrip("/")
        parent = os.path.dirname(name)
        if parent and parent not in self._entries:
            self.directory(parent)
        self._entries[name] = (mode, data, device)


def _newc(name: str, inode: int, mode: int, data: bytes, device: tuple[int, int]) -> bytes:
    """One entry: thirteen 8-digit hexadecimal fields, the name, the data, each padded to 4."""
    encoded = name.encode() + b"\0"
    links = 2 if stat.S_ISDIR(mode) else 1
    fields = (inode, mode, 0, 0, links, 0, len(data), 0, 0, *device, len(encoded), 0)
    header = b"070701" + b"".join(b"%08X" % field for field in fields)
    return _padded(header + encoded) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
