#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/bare-debian.sh [FOLDER]: both commands of the README on a bare Debian 12.
#
# Makes the smallest Debian 12 in FOLDER/system (kept: a second run starts from FOLDER/bare.tar),
# clones the last commit into it, into a folder with a space in its name, and runs there, as root,
# without terminal, with TERM=dumb and umask 077: ./asmsweep, ./asmsweep test. Their output goes to
# FOLDER/measure.log and FOLDER/test.log. Mounts are made in a namespace of their own and vanish
# with it. Exit status 0, 1, or 77 where debootstrap or root is missing.
set -eu

project=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
work=${1:-${TMPDIR:-/tmp}/asmsweep-bare-debian}
clone="asm sweep"

skip() {
    echo "skipped: $*"
    exit 77
}

[ "$(id -u)" -eq 0 ] || skip "only root can make a chroot"
for program in debootstrap unshare git; do
    command -v "$program" >/dev/null || skip "$program is missing: apt-get install $program"
done
mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)*\([^ ]*\) .*/\2/p' \
    /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | head -n 1)

mkdir -p "$work"
if [ ! -s "$work/bare.tar" ]; then
    rm -rf "$work/system"
    debootstrap --variant=minbase bookworm "$work/system" "$mirror" >"$work/debootstrap.log" 2>&1 ||
        skip "debootstrap failed; see $work/debootstrap.log"
    tar -C "$work/system" -cf "$work/bare.tar.part" .
    mv "$work/bare.tar.part" "$work/bare.tar"
fi
rm -rf "$work/system"
mkdir "$work/system"
tar -C "$work/system" -xf "$work/bare.tar"
cp -L /etc/resolv.conf "$work/system/etc/resolv.conf"
echo "127.0.0.1 localhost" >"$work/system/etc/hosts" # an installer writes it, debootstrap does not
git clone -q "$project" "$work/system/$clone"
chroot "$work/system" dpkg-query -W | sort >"$work/before"

# in_debian LOG COMMAND...: run it in the clone.
in_debian() {
    log=$1
    shift
    # shellcheck disable=SC2016  # expanded inside
    unshare --mount sh -c '
        # As on a machine: / is a mount point, and there are pseudo-terminals.
        mount --bind "$1" "$1" && mount --rbind /dev "$1/dev" &&
            mount -t proc proc "$1/proc" && mount -t sysfs sys "$1/sys"
        root=$1
        shift
        umask 077
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb \
            chroot "$root" sh -c "cd \"\$0\" && exec \"\$@\"" "$@"' \
        sh "$work/system" "/$clone" "$@" >"$log" 2>&1 </dev/null
}

status=0
for job in measure test; do
    case $job in
    measure) set -- ./asmsweep ;;
    test) set -- ./asmsweep test ;;
    esac
    if in_debian "$work/$job.log" "$@"; then
        echo "$*: passed"
    else
        echo "$*: exit status $?; the last lines of $work/$job.log:"
        tail -n 30 "$work/$job.log"
        status=1
    fi
done

# It says where the files are, and there they are.
files=$(sed -n 's/^The files are in //p' "$work/measure.log")
for file in summary.csv costs.csv index.html; do
    if [ -z "$files" ] || [ ! -s "$work/system/$files/$file" ]; then
        echo "no $file in '$files', where ./asmsweep says that it is"
        status=1
    fi
done

# What was there is there still, in the same version.
chroot "$work/system" dpkg-query -W | sort >"$work/after"
changed=$(comm -23 "$work/before" "$work/after")
if [ -n "$changed" ]; then
    echo "setup changed packages that were there before:"
    echo "$changed"
    status=1
fi
exit $status
