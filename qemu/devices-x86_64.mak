# The devices that the emulator has: the two PC machines with what they bring along, and what a
# bare-metal kernel is booted from, seen on and tested with. Read by QEMU's configure.
CONFIG_I440FX=y
CONFIG_Q35=y
CONFIG_HPET=y
CONFIG_ISA_DEBUG=y
CONFIG_PCI_DEVICES=y
CONFIG_VGA_PCI=y
CONFIG_E1000_PCI=y
CONFIG_SERIAL_PCI=y
CONFIG_USB_XHCI_PCI=y
CONFIG_USB_STORAGE_CLASSIC=y
CONFIG_VTD=y
CONFIG_TALLY_IDXD=y
