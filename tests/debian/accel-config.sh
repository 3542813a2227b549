#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# accel-config.sh: Debian's accel-config configures queues of two DSAs, from arguments and from a saved file; dmatest
# moves memory through them, and perf counts it. The same script runs on Linux and on Tally
# (accel-config.t).
#
# Each case prints its name, what its command prints, and the status. Nothing here depends on the run: dmatest moves whole
# buffers where bytes are counted (norandom); perf's line with the time, and the number of the device files' driver, are
# left out.

devices=/sys/bus/dsa/devices
test=/sys/module/dmatest/parameters
engine=event_category=0x1
export LC_ALL=C
cd /tmp || exit

try() {
	printf '### %s\n' "$1"
	shift
	"$@" >output 2>&1
	status=$?
	sed 's/"cdev_major":[0-9]*/"cdev_major":N/' output
	printf 'status %d\n' $status
}

# The files of devices: name and what is in it.
show() {
	local path
	for path in "$@"; do
		printf '%s: %s\n' "${path#"$devices/"}" "$(cat "$path")"
	done
}

# moves CHANNEL ITERATIONS: they are over, and the channel is free, when the command is.
moves() {
	echo 2000 >$test/timeout
	echo "$2" >$test/iterations
	echo "$1" >$test/channel
	echo 1 >$test/run
	cat $test/wait
	echo 0 >$test/run
}

counted() {
	local events=$1
	shift
	perf stat -e "$events" "$@" 2>&1 | grep -v -e 'time elapsed' -e '^$'
}

configure() {
	accel-config config-engine dsa0/engine0.0 --group-id=0 &&
		accel-config config-wq dsa0/wq0.0 --group-id=0 --mode=dedicated --wq-size=16 --priority=10 \
			--type=kernel --name=moves --driver-name=dmaengine
}

bytes_and_descriptors() {
	echo 1 >$test/norandom
	counted "$(printf "dsa0/event=%s,$engine/," 0x1 0x2 0x4 0x8 0x10)dsa0/event=0x20,$engine/" bash "$0" dma0chan0 19
	echo 0 >$test/norandom
}

filtered() {
	echo 4096 >$test/test_buf_size
	counted dsa0/filter_wq=0x1,filter_tc=0x1,filter_sz=0x7,filter_eng=0x1,event=0x8,event_category=0x3/ bash "$0" dma0chan0 19
	counted dsa0/filter_wq=0x2,event=0x8,event_category=0x3/ bash "$0" dma0chan0 19
	echo 16384 >$test/test_buf_size
}

# The device has no read buffers to share out, blocks on no faults and translates no addresses: a file with these settings is refused.
save_and_load() {
	accel-config save-config -s saved && cat saved &&
		sed 's/dsa0/dsa1/; s/\(wq\|group\|engine\)0\./\11./' saved >other &&
		grep -v -e read_buffer -e block_on_fault -e ats_disable other >others && accel-config load-config -c others -e
}

both() {
	counted "dsa0/event=0x20,$engine/,dsa1/event=0x20,$engine/" bash "$0" dma1chan0 7
}

# perf calls this script for the moves.
if [ $# = 2 ]; then
	moves "$@"
	exit
fi

try "an idle device as accel-config lists it" accel-config list -i -d dsa0
try "an engine and a queue are configured" configure
try "the device is enabled" accel-config enable-device dsa0
try "the queue is enabled" accel-config enable-wq dsa0/wq0.0
try "what is enabled is listed" accel-config list
try "the channel of the queue" ls /sys/class/dma
try "19 moves of 16 KiB: units of 32 bytes, and descriptors" bytes_and_descriptors
try "19 moves of up to 4 KiB, by queue, class, size and engine; none by another queue" filtered
try "the configuration is saved, and loaded into another device" save_and_load
try "what is enabled then" accel-config list
try "7 moves by the other device" both
try "a queue of no device" accel-config config-wq dsa0/wq0.9 --group-id=0
try "a group that is not there" accel-config config-wq dsa0/wq0.1 --group-id=4
try "more entries than the device has" accel-config config-wq dsa0/wq0.1 --group-id=1 --mode=dedicated --wq-size=200
try "a mode that is none" accel-config config-wq dsa0/wq0.1 --mode=both
try "a priority that is none" accel-config config-wq dsa0/wq0.1 --priority=16
try "a queue without a group is not enabled" accel-config enable-wq dsa0/wq0.2
try "a queue is not enabled twice" accel-config enable-wq dsa0/wq0.0
try "a device is not enabled twice" accel-config enable-device dsa0
try "the queue is disabled" accel-config disable-wq dsa0/wq0.0
try "a queue is not disabled twice" accel-config disable-wq dsa0/wq0.0
try "the states" show "$devices"/{dsa0/state,wq0.0/state,wq0.0/name,wq0.0/type,wq0.0/size,dsa1/state,wq1.0/state}
try "the other queue moves on" both
