// SPDX-License-Identifier: BSD-2-Clause
/*
 * /dev/cpu/N/msr and /dev/cpu/N/cpuid: what each call on them answers. Debian's Linux has both as modules, which
 * linux-run puts into the root file system; the program loads them. The machine has two CPUs.
 */
#include "observe.h"

#include <cpuid.h>
#include <grp.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#define MSR	   "/dev/cpu/0/msr"
#define CPUID	   "/dev/cpu/0/cpuid"
#define ONLINE	   "/sys/devices/system/cpu/cpu1/online"
#define USER	   1000
/* The PMU's: the event select and the counter 0, and its global control with the bits that it reserves. */
#define SELECT0	   0x186
#define GLOBAL	   0x38f
#define RESERVED   (1ull << 50)
#define TSC_AUX	   0xc0000103
#define READ_REGS  _IOWR('c', 0xA0, uint32_t[8])
#define WRITE_REGS _IOWR('c', 0xA1, uint32_t[8])

/* Addresses that the compiler cannot judge. */
static void *volatile nowhere = (void *)8, *volatile kernel = (void *)-PAGE_BYTES;

static void load_modules(void)
{
	static const char *const paths[] = { "/.tally/msr.ko", "/.tally/cpuid.ko" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		int fd = open(paths[i], O_RDONLY);

		if (fd >= 0)
			syscall(SYS_finit_module, fd, "", 0);
		close(fd);
	}
}

static void show_node(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0) {
		show(error_name(errno), "stat %s", path);
		return;
	}
	char text[64];

	snprintf(text, sizeof(text), "mode %o owner %u:%u device %u:%u", status.st_mode,
		 status.st_uid, status.st_gid, major(status.st_rdev), minor(status.st_rdev));
	show(text, "stat %s", path);
}

static void observe_nodes(void)
{
	static const char *const paths[] = { "/dev/cpu",      "/dev/cpu/0",	MSR,
					     CPUID,	      "/dev/cpu/1/msr", "/dev/cpu/1/cpuid",
					     "/dev/cpu/2/msr" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		show_node(paths[i]);
}

static void observe_open(void)
{
	int fd;

	mknod("/tmp-msr", S_IFCHR | 0666, makedev(202, 0));
	mknod("/tmp-absent", S_IFCHR | 0666, makedev(202, 7));
	mknod("/tmp-cpuid", S_IFCHR | 0666, makedev(203, 0));
	mknod("/tmp-absent-cpuid", S_IFCHR | 0666, makedev(203, 7));
	show(outcome(open("/tmp-absent", O_RDONLY)), "open msr of an absent CPU");
	show(outcome(open("/tmp-absent-cpuid", O_RDONLY)), "open cpuid of an absent CPU");
	fflush(stdout);
	if (fork() == 0) {
		if (setresuid(USER, USER, USER))
			_exit(1);
		show(outcome(open(MSR, O_RDONLY)), "open msr, no right to the node");
		show(outcome(open(CPUID, O_RDONLY)), "open cpuid, no right to the node");
		show(outcome(open("/tmp-msr", O_RDONLY)), "open msr without CAP_SYS_RAWIO");
		show(outcome(open("/tmp-absent", O_RDONLY)),
		     "open msr of an absent CPU without CAP_SYS_RAWIO");
		fd = open("/tmp-cpuid", O_RDWR);
		show(fd >= 0 ? "opened" : error_name(errno), "open cpuid without a capability");
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
}

static void observe_positions(int fd, const char *name, size_t one)
{
	static char bytes[256];

	show(outcome(lseek(fd, 0, SEEK_SET)), "%s: lseek to 0", name);
	show(outcome(read(fd, bytes, 0)), "%s: read 0 bytes", name);
	show(outcome(read(fd, bytes, one - 1)), "%s: read less than one", name);
	show(outcome(read(fd, bytes, one + 1)), "%s: read more than one", name);
	show(outcome(lseek(fd, 0x10, SEEK_SET)), "%s: lseek", name);
	show(outcome(read(fd, bytes, 2 * one)), "%s: read two", name);
	show(outcome(lseek(fd, 0, SEEK_CUR)), "%s: position after it", name);
	show(outcome(lseek(fd, 3, SEEK_CUR)), "%s: lseek by 3", name);
	show(outcome(lseek(fd, -1000, SEEK_CUR)), "%s: lseek below 0", name);
	show(outcome(lseek(fd, -1, SEEK_SET)), "%s: lseek to -1", name);
	show(outcome(lseek(fd, 0, SEEK_END)), "%s: lseek to the end", name);
	show(outcome(lseek(fd, 0, SEEK_DATA)), "%s: lseek to data", name);
	show(outcome(lseek(fd, INT64_MAX, SEEK_SET)), "%s: lseek to the greatest", name);
	show(outcome(pread(fd, bytes, one, -1)), "%s: pread at -1", name);
	show(outcome(pread(fd, nowhere, one, 0)), "%s: pread to no memory", name);
	show(outcome(pread(fd, kernel, one, 0)), "%s: pread to the kernel", name);
	show(outcome(ioctl(fd, _IO('c', 0xA2), 0)), "%s: unknown ioctl", name);
	show(mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED ?
		     error_name(errno) :
		     "mapped",
	     "%s: mmap", name);
}

static void observe_cpuid(void)
{
	unsigned int registers[8], here[4];
	int fd = open(CPUID, O_RDWR);

	observe_positions(fd, "cpuid", 16);
	__cpuid_count(0, 0, here[0], here[1], here[2], here[3]);
	show(outcome(pread(fd, registers, 16, 0)), "cpuid: leaf 0");
	show(memcmp(registers, here, 16) ? "another" : "the instruction's",
	     "cpuid: leaf 0's answer");
	__cpuid_count(0xd, 1, here[0], here[1], here[2], here[3]);
	show(outcome(pread(fd, registers, 16, 0xd | 1ull << 32)), "cpuid: leaf 0xd, subleaf 1");
	show(memcmp(registers, here, 16) ? "another" : "the instruction's", "cpuid: its answer");
	show(outcome(pread(fd, registers, 32, 0x80000000)), "cpuid: two leaves");
	__cpuid_count(0x80000001, 0, here[0], here[1], here[2], here[3]);
	show(memcmp(registers + 4, here, 16) ? "another" : "the instruction's",
	     "cpuid: the second's answer");
	show(outcome(write(fd, registers, 16)), "cpuid: write");
	close(fd);
}

static void show_registers(int fd, unsigned long command, const char *name, uint32_t number,
			   uint64_t value)
{
	uint32_t registers[8] = { (uint32_t)value, number, (uint32_t)(value >> 32), 1, 2, 3, 4, 5 };
	char text[128];
	int result = ioctl(fd, command, registers);

	if (result < 0)
		snprintf(text, sizeof(text), "%s, eax %x edx %x", error_name(errno), registers[0],
			 registers[2]);
	else
		snprintf(text, sizeof(text), "= %d, eax %x ecx %x edx %x, others %x %x %x %x %x",
			 result, registers[0], registers[1], registers[2], registers[3],
			 registers[4], registers[5], registers[6], registers[7]);
	show(text, "%s", name);
}

static void observe_msr(void)
{
	uint64_t value = 0, two[2] = { 0x5100c0, 0x5200c0 }, bad = RESERVED;
	int fd = open(MSR, O_RDWR), reader = open(MSR, O_RDONLY), writer = open(MSR, O_WRONLY);
	char text[32];

	observe_positions(fd, "msr", 8);
	show(outcome(pwrite(fd, two, 16, SELECT0)), "msr: write a register twice");
	show(outcome(pread(fd, &value, 8, SELECT0)), "msr: read it");
	snprintf(text, sizeof(text), "%llx", (unsigned long long)value);
	show(text, "msr: its value is the second");
	show(outcome(pread(fd, &value, 8, SELECT0 | 1ull << 32)), "msr: a number above 32 bits");
	value = 0;
	show(outcome(pwrite(fd, &value, 8, SELECT0)), "msr: clear it");
	show(outcome(pwrite(fd, &bad, 8, GLOBAL)), "msr: a write that faults");
	show(outcome(pwrite(fd, &bad, 7, GLOBAL)), "msr: a write of 7 bytes");
	show(outcome(pwrite(fd, nowhere, 8, SELECT0)), "msr: a write from no memory");
	show(outcome(write(reader, &value, 8)), "msr: write, opened for reading");
	show(outcome(read(writer, &value, 8)), "msr: read, opened for writing");
	show_registers(fd, WRITE_REGS, "msr: registers, write", SELECT0, 0x5300c0);
	show_registers(fd, READ_REGS, "msr: registers, read", SELECT0, 0);
	show_registers(fd, WRITE_REGS, "msr: registers, a write that faults", GLOBAL, RESERVED);
	show_registers(reader, READ_REGS, "msr: registers, read, opened for reading", SELECT0, 0);
	show_registers(reader, WRITE_REGS, "msr: registers, write, opened for reading", SELECT0, 0);
	show_registers(writer, READ_REGS, "msr: registers, read, opened for writing", SELECT0, 0);
	show_registers(writer, WRITE_REGS, "msr: registers, write, opened for writing", SELECT0, 0);
	show(outcome(ioctl(fd, READ_REGS, NULL)), "msr: registers at NULL");
	close(fd);
	close(reader);
	close(writer);
}

/* Each device's register belongs to its CPU. */
static void observe_cpus(void)
{
	for (int cpu = 0; cpu < 2; cpu++) {
		uint64_t value = ~0ull;
		char path[32], text[32];

		snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
		int fd = open(path, O_RDONLY);

		pread(fd, &value, 8, TSC_AUX);
		snprintf(text, sizeof(text), "%llu", (unsigned long long)value & 0xfff);
		show(text, "the CPU's number in TSC_AUX of CPU %d", cpu);
		close(fd);
	}
}

static void set_online(const char *text)
{
	int fd = open(ONLINE, O_WRONLY);

	show(outcome(write(fd, text, 1)), "write %s to cpu1/online", text);
	close(fd);
}

static void observe_offline(void)
{
	int msr = open("/dev/cpu/1/msr", O_RDWR), cpuid = open("/dev/cpu/1/cpuid", O_RDONLY);
	uint64_t value[2] = { 0 };

	mknod("/tmp-msr-1", S_IFCHR | 0600, makedev(202, 1));
	mknod("/tmp-cpuid-1", S_IFCHR | 0600, makedev(203, 1));
	set_online("0");
	show_node("/dev/cpu/1/msr");
	show_node("/dev/cpu/1/cpuid");
	show_node("/dev/cpu/1");
	show(outcome(open("/tmp-msr-1", O_RDONLY)), "off line: open msr by another node");
	show(outcome(open("/tmp-cpuid-1", O_RDONLY)), "off line: open cpuid by another node");
	show(outcome(pread(msr, value, 8, TSC_AUX)), "off line: read msr, opened before");
	show(outcome(pwrite(msr, value, 8, SELECT0)), "off line: write msr, opened before");
	show(outcome(pread(cpuid, value, 16, 0)), "off line: read cpuid, opened before");
	set_online("1");
	show_node("/dev/cpu/1/msr");
	show(outcome(pread(msr, value, 8, TSC_AUX)), "on line again: read msr, opened before");
	show(outcome(pread(cpuid, value, 16, 0)), "on line again: read cpuid, opened before");
	close(msr);
	close(cpuid);
}

/* Takes CPU 1 off line and brings it on line by the open FD. */
static void toggle(int fd, const char *who)
{
	show(outcome(pwrite(fd, "0", 1, 0)), "%s: off line", who);
	show(outcome(access("/dev/cpu/1", F_OK)), "%s: the folder, off line", who);
	show(outcome(pwrite(fd, "1", 1, 0)), "%s: on line", who);
}

static void show_nodes_of_1(void)
{
	show_node("/dev/cpu/1");
	show_node("/dev/cpu/1/msr");
	show_node("/dev/cpu/1/cpuid");
}

/* The nodes are the kernel's, also if the task that brings the CPU on line has another user for files, a creation mask or
 * another root. */
static void observe_owners(void)
{
	static const gid_t groups[] = { 1002 };
	int fd = open(ONLINE, O_WRONLY);
	pid_t pid = fork();

	if (pid == 0) {
		umask(0777);
		if (setgroups(1, groups))
			_exit(1);
		setfsgid(1001);
		toggle(fd, "another group for files");
		show_nodes_of_1();
		setfsuid(1000);
		toggle(fd, "another user for files");
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	show_nodes_of_1();
	mkdir("/tmp-root", 0755);
	pid = fork();
	if (pid == 0) {
		if (chroot("/tmp-root") || chdir("/"))
			_exit(1);
		toggle(fd, "another root");
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	show_nodes_of_1();
	rmdir("/tmp-root");
	close(fd);
}

int main(void)
{
	/* Children print, too. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	load_modules();
	observe_nodes();
	observe_open();
	observe_cpuid();
	observe_msr();
	observe_cpus();
	observe_offline();
	observe_owners();
	return 0;
}
