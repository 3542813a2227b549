#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# ibs-linux.sh SPIN: on Linux, samples of the program SPIN by IBS, as perf shows them. ibs-linux.t has what is expected.

samples() {
	perf record -q -B -N -o /tmp/data -d -e "$1" -c "$2" "$spin" -w "$3" 100000
	perf script -i /tmp/data -F ip,sym,symoff,addr
}

spin=$1
# The samples of the kernel need no names: perf reads none of its 150,000 symbols.
echo 2 >/proc/sys/kernel/kptr_restrict
echo "### found"
busybox dmesg -r | grep -i -e 'IBS' -e 'LVT offset'
echo "### ops"
samples ibs_op/cnt_ctl=1/ 10000 stores
echo "### cycles"
samples ibs_op// 10000 stores
echo "### precise cycles"
samples cycles:pp 10000 branches
echo "### fetches"
samples ibs_fetch// 16000 stores
echo "### complaints"
busybox dmesg -r | grep -i -e '^<[0-3]>' -e 'NMI.*reason'
exit 0
