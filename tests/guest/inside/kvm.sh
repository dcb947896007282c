# SPDX-License-Identifier: GPL-3.0-or-later
# kvm.sh: KVM inside the emulated guest (-cpu max has SVM), and the guest engine on it.
. /steps.sh
for module in irqbypass ccp kvm kvm-amd; do
    insmod /modules/$module.ko || exit 1
done
step kvm_probe kvm_probe
step rings rings /programs/guest
step doctor /programs/bin/asmsweep-run doctor
step sweep /programs/bin/asmsweep-run run /sweeps/astray --engine guest --accel kvm \
    -o /out/sweep/run --blocks 1 --slices 20 --timeout 2s
