# SPDX-License-Identifier: BSD-2-Clause
"""The smallest virtual machine there is, through KVM's own interface (Linux, Documentation/virt/kvm/api.rst): one page of
code, no firmware, no QEMU."""

import ctypes
import fcntl
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
# struct kvm_cpuid_entry2: leaf, index, flags, EAX, EBX, ECX, EDX.
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
_PROBE_SECONDS = 2


class TooLong(Exception):
    """The guest's code did not end in time."""


def supported_cpuid(kvm):
    """The CPUID leaves that KVM gives a guest, as a struct kvm_cpuid2."""
    cpuid = bytearray(8 + _CPUID_ENTRIES_MAX * _CPUID_ENTRY.size)
    struct.pack_into("<I", cpuid, 0, _CPUID_ENTRIES_MAX)
    fcntl.ioctl(kvm, _GET_SUPPORTED_CPUID, cpuid)
    return cpuid


def leaves(cpuid):
    """{leaf: (EAX, EBX, ECX, EDX)} of a struct kvm_cpuid2, of a leaf's first index."""
    count, = struct.unpack_from("<I", cpuid)
    entries = [_CPUID_ENTRY.unpack_from(cpuid, 8 + i * _CPUID_ENTRY.size) for i in range(count)]
    return {entry[0]: entry[3:] for entry in entries if entry[1] == 0}


def _run_with_limit(vcpu):
    def give_up(_signal, _frame):
        raise TooLong

    before = signal.signal(signal.SIGALRM, give_up)
    # Repeated: a signal just before the call does not interrupt it; the next one does.
    signal.setitimer(signal.ITIMER_REAL, _PROBE_SECONDS, _PROBE_SECONDS)
    try:
        fcntl.ioctl(vcpu, _RUN, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run(kvm, cpuid, code):
    """Runs `code` in long mode on one virtual CPU; returns its EAX at HLT, 0 if it faults. Raises OSError and TooLong."""
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
