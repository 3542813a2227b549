# SPDX-License-Identifier: BSD-2-Clause
"""--device: the accelerators that the emulator has, as words for QEMU and for the kernel.

Each is KIND[,NAME=VALUE...]; qemu/README.md says what the properties do. queue=none leaves a device's queues to the
guest's accel-config; with queue=user queue 0 of each device is programs' (idxd.user_queue, docs/boot.md); else the kernel
makes it its own (idxd.kernel_queue). queue=user, or iommu=on, adds the IOMMU that queues of programs need.
"""

from .failure import USAGE, Failure
from .record import fresh, record

KINDS = ("dsa", "iax")
# The properties of the emulated device, each with its least and greatest value.
PROPERTIES = {"counters": (1, 32), "counter-width": (8, 64), "latency-ns": (0, 1000000000)}
DEVICES_MAX = 8
QUEUES = {"kernel": "idxd.kernel_queue idxd.tc_override", "user": "idxd.user_queue idxd.tc_override", "none": ""}
# The machine with PCI Express, and the IOMMU as shared address spaces need it.
_IOMMU = "intel-iommu,intremap=off,device-iotlb=on,x-scalable-mode=on,x-flts=on,x-pasid-mode=on,aw-bits=48"
# The CPU needs the instructions that submit.
CPU_PROPERTIES = ("movdir64b=on", "enqcmd=on")


@record
class Device:
    """One --device."""

    kind: str
    properties: dict = fresh(dict)
    queue: str = "kernel"
    iommu: bool = False

    def words(self):
        """QEMU's."""
        return ["-device", ",".join([f"tally-{self.kind}", *(f"{name}={value}"
                                                             for name, value in self.properties.items())])]


def _add(device, text, word):
    name, _, value = word.partition("=")
    if name == "queue" and value in QUEUES:
        device.queue = value
        device.iommu |= value == "user"
    elif word == "iommu=on":
        device.iommu = True
    elif name in PROPERTIES and value.isdecimal() and PROPERTIES[name][0] <= int(value) <= PROPERTIES[name][1]:
        device.properties[name] = int(value)
    else:
        known = ", ".join(f"{key}={low}..{high}" for key, (low, high) in PROPERTIES.items())
        raise Failure(USAGE, f"--device {text}: {word!r} is none of {known}, "
                             f"{', '.join(f'queue={queue}' for queue in QUEUES)}, iommu=on")


def parse(text):
    """The Device that the option's value describes."""
    kind, *words = text.split(",")
    if kind not in KINDS:
        raise Failure(USAGE, f"--device {text}: {kind!r} is none of {', '.join(KINDS)}")
    device = Device(kind)
    for word in words:
        _add(device, text, word)
    return device


def kernel_words(devices):
    """The kernel's words for these devices: all have a queue from the start, or none has."""
    if len(devices) > DEVICES_MAX:
        raise Failure(USAGE, f"--device: {len(devices)} devices are more than {DEVICES_MAX}")
    if len({device.queue for device in devices}) > 1:
        raise Failure(USAGE, "--device: queue= is the same for all devices")
    return QUEUES[devices[0].queue] if devices else ""


def machine(devices):
    """QEMU's words for the machine of these devices instead of the usual one's, or None."""
    return ("-machine", "q35", "-device", _IOMMU) if any(device.iommu for device in devices) else None
