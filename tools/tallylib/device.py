# SPDX-License-Identifier: BSD-2-Clause
"""--device: the accelerators that the emulator has, as words for QEMU and for the kernel.

Each is KIND[,NAME=VALUE...]; qemu/README.md says what the properties do. queue=none leaves a device's queues to the
guest's accel-config; else the kernel makes queue 0 of each device its own (idxd.kernel_queue, docs/boot.md).
"""

from dataclasses import dataclass, field

from .failure import USAGE, Failure

KINDS = ("dsa", "iax")
# The properties of the emulated device, each with its least and greatest value.
PROPERTIES = {"counters": (1, 32), "counter-width": (8, 64), "latency-ns": (0, 1000000000)}
DEVICES_MAX = 8
# The CPU needs the instructions that submit.
CPU_PROPERTIES = ("movdir64b=on", "enqcmd=on")


@dataclass
class Device:
    """One --device."""

    kind: str
    properties: dict = field(default_factory=dict)
    has_queue: bool = True

    def words(self):
        """QEMU's."""
        return ["-device", ",".join([f"tally-{self.kind}", *(f"{name}={value}"
                                                             for name, value in self.properties.items())])]


def _add(device, text, word):
    name, _, value = word.partition("=")
    if name == "queue" and value in ("kernel", "none"):
        device.has_queue = value == "kernel"
    elif name in PROPERTIES and value.isdecimal() and PROPERTIES[name][0] <= int(value) <= PROPERTIES[name][1]:
        device.properties[name] = int(value)
    else:
        known = ", ".join(f"{key}={low}..{high}" for key, (low, high) in PROPERTIES.items())
        raise Failure(USAGE, f"--device {text}: {word!r} is none of {known}, queue=kernel, queue=none")


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
    if len({device.has_queue for device in devices}) > 1:
        raise Failure(USAGE, "--device: queue=none is for all devices or for none")
    return "idxd.kernel_queue idxd.tc_override" if devices and devices[0].has_queue else ""
