# SPDX-License-Identifier: BSD-2-Clause
"""Can a KVM guest on this host count with the real PMU? Finds out by letting one count.

A PMU announced by CPUID is no proof: nested hypervisors announce one whose counters stand still.
So this makes the smallest virtual machine there is, through KVM's own interface (Linux,
Documentation/virt/kvm/api.rst): one page of code, no firmware, no QEMU. It counts a loop
on Intel's fixed counter 0 or AMD's counter 0 and halts. The answer takes a few milliseconds, and a command asks once.
"""

import ctypes
import fcntl
import functools
import mmap
import os
import signal
import struct

# linux/kvm.h: request numbers for x86-64.
_CREATE_VM = 0xAE01
_GET_VCPU_MMAP_SIZE = 0xAE04
_GET_SUPPORTED_CPUID = 0xC008AE05
_CREATE_VCPU = 0xAE41
_SET_USER_MEMORY_REGION = 0x4020AE46
_SET_TSS_ADDR = 0xAE47
_RUN = 0xAE80
_GET_REGS = 0x8090AE81
_SET_REGS = 0x4090AE82
_GET_SREGS = 0x8138AE83
_SET_SREGS = 0x4138AE84
_SET_CPUID2 = 0x4008AE90
_EXIT_HLT = 5

_CPUID_ENTRIES_MAX = 256
_CPUID_ENTRY = struct.Struct("<IIIIIII12x")
_REGS = struct.Struct("<18Q")
_RAX, _RIP, _RFLAGS = 0, 16, 17
_RFLAGS_ALWAYS_ONE = 2

# struct kvm_sregs: eight segments (base, limit, selector, then a byte each for type, present, dpl,
# db, s, l, g, avl, unusable), CR0 to CR8 and EFER at the offsets below.
_SREGS_BYTES = 312
_SEGMENT = struct.Struct("<QIH9Bx")
_CS, _DS, _SS = 0, 24, 120
_CR0, _CR3, _CR4, _EFER = 224, 240, 248, 264
_CODE_SEGMENT = (0, 0xFFFFFFFF, 8, 11, 1, 0, 0, 1, 1, 1, 0, 0)
_DATA_SEGMENT = (0, 0xFFFFFFFF, 16, 3, 1, 0, 1, 1, 0, 1, 0, 0)
_CR0_PROTECTED_PAGED = 0x80000033
_CR4_PAE = 1 << 5
_EFER_LONG_MODE = 0x500

# The guest's memory: one large page that maps itself.
_MEMORY_BYTES = 0x200000
_CODE, _PML4, _PDPT, _PD = 0x1000, 0x2000, 0x3000, 0x4000
_PRESENT_WRITABLE = 3
_LARGE = 0x80
_TSS_ADDRESS = 0x7FFBD000
_LOOPS = 1000
_PROBE_SECONDS = 2

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


@functools.cache
def why_not():
    """None if a KVM guest counts here; else the reason, as the end of a sentence."""
    try:
        kvm = os.open("/dev/kvm", os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        return f"/dev/kvm: {error.strerror}"
    try:
        return _why_not(kvm)
    except OSError as error:
        return f"KVM does not work here: {error.strerror}"
    except _TooLong:
        return "a KVM guest does not finish a loop here"
    finally:
        os.close(kvm)


class _TooLong(Exception):
    pass


def _why_not(kvm):
    cpuid = supported_cpuid(kvm)
    count, = struct.unpack_from("<I", cpuid)
    entries = [_CPUID_ENTRY.unpack_from(cpuid, 8 + i * _CPUID_ENTRY.size) for i in range(count)]
    leaves = {entry[0]: entry[3:] for entry in entries if entry[1] == 0}
    vendor = struct.pack("<III", *(leaves[0][i] for i in (1, 3, 2)))
    code = _PROGRAMS.get(vendor, lambda _: None)(leaves)
    if code is None:
        return "KVM gives its guests no PMU here"
    counted = run(kvm, cpuid, code)
    if counted < _LOOPS:
        return f"KVM's guests have a PMU here that does not count ({counted} for {_LOOPS} loops)"
    return None


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


def supported_cpuid(kvm):
    """The CPUID leaves that KVM gives a guest, as a struct kvm_cpuid2."""
    cpuid = bytearray(8 + _CPUID_ENTRIES_MAX * _CPUID_ENTRY.size)
    struct.pack_into("<I", cpuid, 0, _CPUID_ENTRIES_MAX)
    fcntl.ioctl(kvm, _GET_SUPPORTED_CPUID, cpuid)
    return cpuid


def run(kvm, cpuid, code):
    """Runs `code` in long mode on one virtual CPU; returns its EAX at HLT, 0 if it faults."""
    vm = fcntl.ioctl(kvm, _CREATE_VM, 0)
    memory = mmap.mmap(-1, _MEMORY_BYTES)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    memory[_CODE:_CODE + len(code)] = code
    for table, entry in ((_PML4, _PDPT), (_PDPT, _PD), (_PD, _LARGE)):
        struct.pack_into("<Q", memory, table, entry | _PRESENT_WRITABLE)
    fcntl.ioctl(vm, _SET_TSS_ADDR, _TSS_ADDRESS)
    fcntl.ioctl(vm, _SET_USER_MEMORY_REGION, struct.pack("<IIQQQ", 0, 0, 0, _MEMORY_BYTES, address))
    vcpu = fcntl.ioctl(vm, _CREATE_VCPU, 0)
    fcntl.ioctl(vcpu, _SET_CPUID2, cpuid)
    state = mmap.mmap(vcpu, fcntl.ioctl(kvm, _GET_VCPU_MMAP_SIZE, 0))

    sregs = bytearray(fcntl.ioctl(vcpu, _GET_SREGS, bytes(_SREGS_BYTES)))
    _SEGMENT.pack_into(sregs, _CS, *_CODE_SEGMENT)
    for segment in range(_DS, _SS + 1, _SEGMENT.size):
        _SEGMENT.pack_into(sregs, segment, *_DATA_SEGMENT)
    for offset, value in ((_CR0, _CR0_PROTECTED_PAGED), (_CR3, _PML4), (_CR4, _CR4_PAE),
                          (_EFER, _EFER_LONG_MODE)):
        struct.pack_into("<Q", sregs, offset, value)
    fcntl.ioctl(vcpu, _SET_SREGS, bytes(sregs))
    registers = [0] * 18
    registers[_RIP] = _CODE
    registers[_RFLAGS] = _RFLAGS_ALWAYS_ONE
    fcntl.ioctl(vcpu, _SET_REGS, _REGS.pack(*registers))

    _run_with_limit(vcpu)
    exit_reason, = struct.unpack_from("<I", state, 8)
    result = _REGS.unpack(fcntl.ioctl(vcpu, _GET_REGS, bytes(_REGS.size)))[_RAX]
    os.close(vcpu)
    os.close(vm)
    return result & 0xFFFFFFFF if exit_reason == _EXIT_HLT else 0


def _run_with_limit(vcpu):
    def give_up(_signal, _frame):
        raise _TooLong

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, _PROBE_SECONDS)
    try:
        fcntl.ioctl(vcpu, _RUN, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
