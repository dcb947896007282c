# SPDX-License-Identifier: GPL-3.0-or-later
"""setup/install on machines that this one is not, by a PATH of its own and a made-up apt-get."""

import os
import subprocess

import pytest
from clone import ROOT

TOOLS = ["cat", "chmod", "cut", "dirname", "grep", "id", "mktemp", "rm", "sed", "sh", "tr", "uname"]
UPGRADE = ("Inst libc6 [2.36-9] (2.36-9+deb12u9 Debian:12/stable [amd64])\n"
           "Inst cmake (3.25.1-1 Debian:12/stable [amd64])\n")
DPKG_QUERY = """#!/bin/sh
echo "$*" >>"$0.log"
echo "Package: src:glibc
Pin: version 2.36-9"
"""
APT_GET = """#!/bin/sh
PATH=/usr/bin:/bin
echo "$*" >>"$0.log"
case $* in
*"-s "*Preferences*) cat "$0.pinned" ;;
*"-s "*) cat "$0.plan" ;;
*install*) touch "$(dirname "$0")/cmake"; chmod +x "$(dirname "$0")/cmake" ;;
esac
"""


class Machine:
    """All that is wanted is there but cmake; `log` is what apt-get was called with."""

    def __init__(self, folder, system="debian"):
        self.bin = folder / "bin"
        self.bin.mkdir()
        (folder / "os-release").write_text(f'NAME="Some"\nID={system}\n')
        self.environment = {"PATH": str(self.bin),
                            "ASMSWEEP_OS_RELEASE": str(folder / "os-release")}
        for name in TOOLS:
            os.symlink(f"/usr/bin/{name}", self.bin / name)
        for name in self.programs():
            self.program(name, "#!/bin/sh\n")
        self.program("apt-get", APT_GET)
        self.program("dpkg-query", DPKG_QUERY)
        self.plan("Inst cmake (3.25.1-1 Debian:12/stable [amd64])\n")

    @staticmethod
    def programs():
        with open(f"{ROOT}/setup/packages", encoding="utf-8") as stream:
            rows = [line.split("\t") for line in stream if not line.startswith("#")]
        return [gives for _, when, gives, _ in rows if when != "tests" and gives != "cmake"
                and not gives.endswith(".h") and ":" not in gives and "/" not in gives]

    def program(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def plan(self, text):
        (self.bin / "apt-get.plan").write_text(text)

    def user(self, number):
        (self.bin / "id").unlink()
        self.program("id", f"#!/bin/sh\necho {number}\n")

    @property
    def log(self):
        path = self.bin / "apt-get.log"
        return path.read_text().splitlines() if path.exists() else []

    def setup(self, *options):
        return subprocess.run([f"{ROOT}/setup/install", *options], env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)


@pytest.fixture
def debian(tmp_path):
    machine = Machine(tmp_path)
    machine.user(0)
    return machine


def test_what_is_missing_is_listed_with_the_reason(debian):
    debian.user(1000)
    assert "  cmake            cmake                says what is built from what\n" in \
        debian.setup().stderr


def test_root_without_terminal_installs_and_upgrades_nothing(debian):
    done = debian.setup()
    assert done.returncode == 0, done.stderr
    options = "--no-install-recommends --no-upgrade --no-remove"
    assert debian.log == [f"-s {options} install cmake", f"-q -y {options} install cmake"]


def test_a_plan_that_upgrades_asks_for_the_version_that_is_there(debian):
    debian.plan(UPGRADE)
    (debian.bin / "apt-get.pinned").write_text("Inst cmake (3.25.1-1 Debian:12/stable [amd64])\n")
    done = debian.setup()
    assert done.returncode == 0, done.stderr
    assert (debian.bin / "dpkg-query.log").read_text().endswith(" libc6\n")
    assert [call.split()[0] for call in debian.log] == ["-s", "-s", "-q"]
    assert ["Preferences=" in call for call in debian.log] == [False, True, True]


def test_a_plan_that_upgrades_all_the_same_is_refused(debian):
    debian.plan(UPGRADE)
    (debian.bin / "apt-get.pinned").write_text(UPGRADE)
    done = debian.setup()
    assert done.returncode == 3
    assert "nothing was installed: it would upgrade libc6 ;" in done.stderr
    assert [call.split()[0] for call in debian.log] == ["-s", "-s"]


def test_an_ordinary_user_gets_the_exact_command(debian):
    debian.user(1000)
    debian.program("sudo", "#!/bin/sh\nexit 9\n")
    done = debian.setup()
    assert done.returncode == 3 and debian.log == []
    assert done.stderr.endswith("setup: nothing was installed; run: sudo apt-get install "
                                "--no-install-recommends --no-upgrade cmake\n")


def test_yes_lets_an_ordinary_user_install_by_sudo(debian):
    debian.user(1000)
    debian.program("sudo", '#!/bin/sh\nexec "$@"\n')
    assert debian.setup("--yes").returncode == 0
    assert len(debian.log) == 2


def test_what_is_there_is_left_alone_and_apt_is_not_asked(debian):
    debian.program("cmake", "#!/bin/sh\n")
    done = debian.setup()
    assert (done.returncode, done.stderr, debian.log) == (0, "", [])


def test_a_package_that_does_not_give_what_it_should_is_named(debian):
    debian.program("apt-get", APT_GET.replace("cmake", "other"))
    done = debian.setup()
    assert done.returncode == 3
    assert "installed, and still missing: cmake" in done.stderr


def test_an_optional_package_that_debian_lacks_is_left_out(debian):
    (debian.bin / "bpf-as").unlink()
    debian.program("apt-get", APT_GET.replace('*"-s "*)', '*"-s "*bpf*) exit 100 ;;\n*"-s "*)'))
    done = debian.setup()
    assert done.returncode == 0, done.stderr
    assert [call.split(" install ")[-1] for call in debian.log if "update" not in call] == [
        "cmake binutils-bpf", "cmake binutils-bpf", "cmake", "cmake"]


def test_an_optional_package_alone_is_no_obstacle(debian):
    debian.program("cmake", "#!/bin/sh\n")
    (debian.bin / "bpf-as").unlink()
    debian.user(1000)
    done = debian.setup()
    assert done.returncode == 0 and debian.log == []
    assert "going on without; to have them: sudo apt-get install" in done.stderr


def test_elsewhere_than_debian_it_only_lists(tmp_path):
    machine = Machine(tmp_path, "fedora")
    done = machine.setup("--yes")
    assert done.returncode == 3 and machine.log == []
    assert "says what is built from what" in done.stderr
    assert "this is not Debian" in done.stderr


def test_every_row_of_the_list_is_whole():
    with open(f"{ROOT}/setup/packages", encoding="utf-8") as stream:
        rows = [line.rstrip("\n").split("\t") for line in stream if not line.startswith("#")]
    assert {len(row) for row in rows} == {4}
    assert {when for _, when, _, _ in rows} == {"base", "optional", "tests"}
    names = [row[0] for row in rows]
    assert len(names) == len(set(names)) > 20
