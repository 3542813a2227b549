# The devices that the Alpha's emulator has: the one machine there is, clipper, with what it brings
# along (serial and parallel ports, clock, IDE, PCI). Read by QEMU's configure.
CONFIG_DP264=y
