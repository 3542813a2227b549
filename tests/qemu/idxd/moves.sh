#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# moves.sh: on Linux, perf's counts of the moves that moves.ko makes: the two tables of the announcement of the DSA's
# counters, number for number, from a generator's seed that gives their sizes. dsa-linux.t has the expected numbers.

engine=event_category=0x1
events=
for number in 0x1 0x2 0x4 0x8 0x10 0x20; do
	events+=dsa0/event=$number,$engine/,
done

counted() {
	perf stat -e "$@" 2>&1 | grep -v -e 'time elapsed' -e '^$'
}

echo "### configured"
accel-config config-engine dsa0/engine0.0 --group-id=0
accel-config config-wq dsa0/wq0.0 --group-id=0 --mode=dedicated --wq-size=16 --priority=10 --type=kernel --name=moves \
	--driver-name=dmaengine
accel-config enable-device dsa0
accel-config enable-wq dsa0/wq0.0
echo "### all sizes"
counted "${events%,}" busybox insmod /.tally/moves.ko count=19 max_bytes=16384 seed=174515
busybox rmmod moves
echo "### filtered"
counted dsa0/filter_wq=0x1,filter_tc=0x1,filter_sz=0x7,filter_eng=0x1,event=0x8,event_category=0x3/ \
	busybox insmod /.tally/moves.ko count=19 max_bytes=4096
busybox rmmod moves
# Linux has no IOMMU here, and reports that it cannot share address spaces. All else is a complaint.
echo "### complaints"
busybox dmesg -r | grep '^<[0-4]>.*\(idxd\|dsa\)' | grep -v -e 'SVA feature' -e dmatest
exit 0
