# SPDX-License-Identifier: GPL-3.0-or-later
# kvm.sh: KVM inside the emulated guest (-cpu max has SVM).
. /steps.sh
for module in irqbypass ccp kvm kvm-amd; do
    insmod /modules/$module.ko || exit 1
done
step kvm_probe kvm_probe
