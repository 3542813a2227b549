### the functions by number
lspci -n
### the functions with their names, as a tree
lspci -tv
### the functions for programs
lspci -Dvmmnn
### all that root sees of them
lspci -nnvvv
### all that others see of them
su nobody -s /bin/sh -c "lspci -nnvv"
### all of the configuration space
# The bridge to ISA holds the choices of Linux's driver for interrupts: it is left out.
for slot in 00 01 02 03; do lspci -s $slot.0 -xxxx; done
### others read 64 bytes of it
for slot in 00 01 02 03; do su nobody -s /bin/sh -c "lspci -s $slot.0 -xxxx"; done
### a descriptor has the right of its opener
exec 3</sys/bus/pci/devices/0000:00:01.0/config
su nobody -s /bin/sh -c "cat <&3 | wc -c; cat /sys/bus/pci/devices/0000:00:01.0/config | wc -c"
### reads at any place of it
for at in 0 1 2 3 61 63 64 254 255 256 4095 4096; do
	echo $at $(dd if=/sys/bus/pci/devices/0000:00:01.0/config bs=1 skip=$at count=7 2>&1 | hexdump -e '8/1 "%02x "')
done
### the files of each function
cd /sys/bus/pci/devices
for function in *; do
	readlink $function
	for file in vendor device subsystem_vendor subsystem_device class revision resource irq numa_node local_cpus \
		local_cpulist enable modalias uevent config; do
		echo $function/$file $(stat -c "%a %U" $function/$file)
		[ $file = config ] || cat $function/$file
	done
	readlink $function/subsystem
done
### enabling and disabling
cd /sys/bus/pci/devices/0000:00:02.0
for value in 1 1 0x1 01 x "" 0 0 0 0 0; do
	echo "$value" >enable
	echo "$value: $?, $(cat enable)"
done 2>&1
su nobody -s /bin/sh -c "echo 1 >enable" 2>&1
### the right to enable is the writer's
cd /sys/bus/pci/devices/0000:00:02.0
exec 3>enable
su nobody -s /bin/sh -c "echo 1 >&3" 2>&1
cat enable
