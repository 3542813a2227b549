/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Capabilities of capget, capset and prctl. Source: Linux's uapi/linux/capability.h and
 * uapi/linux/securebits.h; capabilities(7).
 */
#ifndef _UAPI_LINUX_CAPABILITY_H
#define _UAPI_LINUX_CAPABILITY_H

#include <stdint.h>

#define _LINUX_CAPABILITY_VERSION_1 0x19980330
#define _LINUX_CAPABILITY_VERSION_2 0x20071026
#define _LINUX_CAPABILITY_VERSION_3 0x20080522

struct cap_user_header {
	uint32_t version;
	int32_t pid;
};

/* One half of each set: version 1 has the lower, the others have both. */
struct cap_user_data {
	uint32_t effective;
	uint32_t permitted;
	uint32_t inheritable;
};

#define CAP_CHOWN			   0
#define CAP_DAC_OVERRIDE		   1
#define CAP_DAC_READ_SEARCH		   2
#define CAP_FOWNER			   3
#define CAP_FSETID			   4
#define CAP_KILL			   5
#define CAP_SETGID			   6
#define CAP_SETUID			   7
#define CAP_SETPCAP			   8
#define CAP_LINUX_IMMUTABLE		   9
#define CAP_NET_BIND_SERVICE		   10
#define CAP_NET_ADMIN			   12
#define CAP_NET_RAW			   13
#define CAP_IPC_LOCK			   14
#define CAP_SYS_RAWIO			   17
#define CAP_SYS_CHROOT			   18
#define CAP_SYS_PTRACE			   19
#define CAP_SYS_ADMIN			   21
#define CAP_SYS_BOOT			   22
#define CAP_SYS_NICE			   23
#define CAP_SYS_RESOURCE		   24
#define CAP_SYS_TIME			   25
#define CAP_SYS_TTY_CONFIG		   26
#define CAP_MKNOD			   27
#define CAP_LEASE			   28
#define CAP_SETFCAP			   31
#define CAP_MAC_OVERRIDE		   32
#define CAP_SYSLOG			   34
#define CAP_WAKE_ALARM			   35
#define CAP_PERFMON			   38
#define CAP_BPF				   39
#define CAP_CHECKPOINT_RESTORE		   40
#define CAP_LAST_CAP			   CAP_CHECKPOINT_RESTORE

/* Securebits, as bits; each has a lock in the bit above it. */
#define SECBIT_NOROOT			   (1u << 0)
#define SECBIT_NOROOT_LOCKED		   (1u << 1)
#define SECBIT_NO_SETUID_FIXUP		   (1u << 2)
#define SECBIT_NO_SETUID_FIXUP_LOCKED	   (1u << 3)
#define SECBIT_KEEP_CAPS		   (1u << 4)
#define SECBIT_KEEP_CAPS_LOCKED		   (1u << 5)
#define SECBIT_NO_CAP_AMBIENT_RAISE	   (1u << 6)
#define SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED (1u << 7)
#define SECURE_ALL_BITS \
	(SECBIT_NOROOT | SECBIT_NO_SETUID_FIXUP | SECBIT_KEEP_CAPS | SECBIT_NO_CAP_AMBIENT_RAISE)
#define SECURE_ALL_LOCKS (SECURE_ALL_BITS << 1)

#endif
