# SPDX-License-Identifier: BSD-2-Clause
"""Can a KVM guest on this host count with the real PMU? Finds out by letting one count.

KVM's guests count by events of the host's perf: where that has no PMU they have none. Where it has one, a PMU announced
by CPUID is no proof: nested hypervisors announce one whose counters stand still. So a guest counts a loop on Intel's fixed
counter 0 or AMD's counter 0 and halts. That answer takes 15 ms of CPU time, and a command asks once.
"""

import functools
import os
import struct

_HOST_PMUS = "/sys/bus/event_source/devices"
_LOOPS = 1000

# MSRs: Intel SDM vol. 4, architectural MSRs; AMD APM vol. 2, 13.2 and appendix A.
_FIXED_CTR0, _FIXED_CTR_CTRL, _GLOBAL_CTRL = 0x309, 0x38D, 0x38F
_LEGACY_SELECT0, _LEGACY_COUNTER0 = 0xC0010000, 0xC0010004
_CORE_SELECT0, _CORE_COUNTER0 = 0xC0010200, 0xC0010201
_AMD_GLOBAL_CTL = 0xC0000301
_COUNT_ALL_RINGS = 3
_FIXED0 = 1 << 32
# Retired instructions (0C0H), USR, OS, EN.
_AMD_INSTRUCTIONS = 0xC0 | 1 << 16 | 1 << 17 | 1 << 22
# CPUID 8000_0001 ECX, CPUID 8000_0022 EAX.
_PERFCTR_CORE, _PERFMON_V2 = 1 << 23, 1 << 0


def _write(msr, value):
    """64-bit code that writes an MSR: mov $msr, %ecx; mov $low, %eax; mov $high, %edx; wrmsr."""
    return struct.pack("<BIBIBI", 0xB9, msr, 0xB8, value & 0xFFFFFFFF, 0xBA, value >> 32) + b"\x0f\x30"


def _count_a_loop(start, stop, counter):
    """64-bit code: the writes START, {msr: value}, a loop, the writes STOP; EAX at HLT is the counter.

    An MSR that is not there faults, and without an interrupt table a fault ends the machine.
    """
    return b"".join([*(_write(*pair) for pair in start.items()),
                     struct.pack("<BI", 0xB9, _LOOPS), b"\xe2\xfe",  # mov $loops, %ecx; loop .
                     *(_write(*pair) for pair in stop.items()),
                     struct.pack("<BI", 0xB9, counter), b"\x0f\x32\xf4"])  # rdmsr; hlt


def why_no_pmu():
    """None if the host's perf has a PMU of its CPUs ("cpu", or "cpu_core" and "cpu_atom"), or does not say; else the reason.

    Source: Linux, kvm_init_pmu_capability in arch/x86/kvm/pmu.h.
    """
    try:
        names = os.listdir(_HOST_PMUS)
    except OSError:
        return None
    return None if any(name.startswith("cpu") for name in names) else "the host's Linux has no PMU to count its guests by"


def _program(leaves):
    """The code for the PMU of the CPUID's vendor, or None."""
    vendor = struct.pack("<III", *(leaves[0][i] for i in (1, 3, 2)))
    return _PROGRAMS.get(vendor, lambda _: None)(leaves)


def why_not_counting(kvm):
    """As why_not, by a guest. `kvm`: /dev/kvm, open."""
    # Loads ctypes, which a run that does not ask should not pay for.
    from . import kvm_guest
    try:
        cpuid = kvm_guest.supported_cpuid(kvm)
        code = _program(kvm_guest.leaves(cpuid))
        if code is None:
            return "KVM gives its guests no PMU here"
        counted = kvm_guest.run(kvm, cpuid, code)
    except OSError as error:
        return f"KVM does not work here: {error.strerror}"
    except kvm_guest.TooLong:
        return "a KVM guest does not finish a loop here"
    if counted < _LOOPS:
        return f"KVM's guests have a PMU here that does not count ({counted} for {_LOOPS} loops)"
    return None


@functools.cache
def why_not():
    """None if a KVM guest counts here; else the reason, as the end of a sentence."""
    try:
        kvm = os.open("/dev/kvm", os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        return f"/dev/kvm: {error.strerror}"
    try:
        return why_no_pmu() or why_not_counting(kvm)
    finally:
        os.close(kvm)


def _intel_program(leaves):
    """The code for the PMU that the CPUID leaves announce, or None."""
    version = leaves.get(0xA, (0,))[0] & 0xFF
    if version < 2:
        return None
    return _count_a_loop({_FIXED_CTR_CTRL: _COUNT_ALL_RINGS, _GLOBAL_CTRL: _FIXED0}, {_GLOBAL_CTRL: 0}, _FIXED_CTR0)


def _amd_program(leaves):
    """As _intel_program. No CPUID bit announces the four legacy counters: family 0FH and later have them."""
    if leaves.get(0x80000022, (0,))[0] & _PERFMON_V2:
        return _count_a_loop({_CORE_SELECT0: _AMD_INSTRUCTIONS, _AMD_GLOBAL_CTL: 1}, {_AMD_GLOBAL_CTL: 0},
                             _CORE_COUNTER0)
    if leaves[0x80000001][2] & _PERFCTR_CORE:
        return _count_a_loop({_CORE_SELECT0: _AMD_INSTRUCTIONS}, {_CORE_SELECT0: 0}, _CORE_COUNTER0)
    return _count_a_loop({_LEGACY_SELECT0: _AMD_INSTRUCTIONS}, {_LEGACY_SELECT0: 0}, _LEGACY_COUNTER0)


_PROGRAMS = {b"GenuineIntel": _intel_program, b"AuthenticAMD": _amd_program, b"HygonGenuine": _amd_program}
