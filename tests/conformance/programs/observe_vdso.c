// SPDX-License-Identifier: BSD-2-Clause
/*
 * The vDSO's clocks, and the CPU time that a process has used.
 */
#include <elf.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/times.h>

#include "clocks.h"

static long us_of(const struct timeval *time)
{
	return time->tv_sec * 1000000 + time->tv_usec;
}

/* Which mode this process has spent most of its time in since BEFORE. */
static const char *mode_since(const struct rusage *before)
{
	struct rusage now;

	getrusage(RUSAGE_SELF, &now);
	return us_of(&now.ru_utime) - us_of(&before->ru_utime) >
			       us_of(&now.ru_stime) - us_of(&before->ru_stime) ?
		       "user" :
		       "system";
}

static void see_modes(void)
{
	static char buffer[1 << 20];
	struct timespec now;
	struct rusage before;
	clockid_t user_clock = -7;
	int zero = open("/dev/zero", O_RDONLY);

	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < 30; i++)
		for (volatile int j = 0; j < 1000000; j++)
			;
	show(mode_since(&before), "mode of a loop");
	clock_gettime(user_clock, &now);
	show(now.tv_sec || now.tv_nsec ? "yes" : "no", "the clock of time in user mode moves");
	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; zero >= 0 && i < 200; i++)
		if (read(zero, buffer, sizeof(buffer)) < 0)
			break;
	show(mode_since(&before), "mode of reading zeros");
	close(zero);
}

static void see_usage(void)
{
	struct rusage usage;
	struct tms times_used;

	burn_ms(30);
	SEE(syscall(SYS_times, bad));
	show(syscall(SYS_times, NULL) > 0 ? "yes" : "no", "times without room says the time");
	times(&times_used);
	show(times_used.tms_utime + times_used.tms_stime >= 2 ? "yes" : "no", "times counts");
	SEE(syscall(SYS_getrusage, 2, &usage));
	SEE(syscall(SYS_getrusage, RUSAGE_SELF, bad));
	for (int who = RUSAGE_CHILDREN; who <= RUSAGE_THREAD; who++) {
		long used;

		getrusage((__rusage_who_t)who, &usage);
		used = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
		       usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
		if (who != RUSAGE_CHILDREN)
			show(used >= 30000 ? "yes" : "no", "usage of %d counts", who);
	}
	see_modes();
}

typedef int gettime_function(clockid_t, struct timespec *);
typedef int getcpu_function(unsigned int *, unsigned int *, void *);
typedef int gettimeofday_function(struct timeval *, struct timezone *);
typedef time_t time_function(time_t *);

static const char *vdso;

/* The dynamic entry TAG's address in the vDSO. */
static const void *dynamic(Elf64_Sxword tag)
{
	const Elf64_Ehdr *header = (const void *)vdso;
	const Elf64_Phdr *segments = (const void *)(vdso + header->e_phoff);

	for (int i = 0; i < header->e_phnum; i++) {
		if (segments[i].p_type != PT_DYNAMIC)
			continue;
		const Elf64_Dyn *entry = (const void *)(vdso + segments[i].p_offset);

		for (; entry->d_tag != DT_NULL; entry++)
			if (entry->d_tag == tag)
				return vdso + entry->d_un.d_ptr;
	}
	return NULL;
}

static void *find(const char *name)
{
	const uint32_t *hash = dynamic(DT_HASH);
	const Elf64_Sym *symbols = dynamic(DT_SYMTAB);
	const char *strings = dynamic(DT_STRTAB);

	for (uint32_t i = 1; hash && i < hash[1]; i++)
		if (symbols[i].st_shndx && strcmp(strings + symbols[i].st_name, name) == 0)
			return (void *)(vdso + symbols[i].st_value);
	return NULL;
}

static void see_vdso(void)
{
	static const char *const names[] = { "__vdso_clock_gettime",
					     "__vdso_clock_getres",
					     "__vdso_gettimeofday",
					     "__vdso_time",
					     "__vdso_getcpu",
					     "clock_gettime",
					     "getcpu",
					     "no_such_function" };
	struct timespec before, middle, after;

	vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	show(vdso ? "yes" : "no", "vDSO");
	if (!vdso)
		return;
	show(memcmp(vdso, ELFMAG, SELFMAG) == 0 ? "yes" : "no", "vDSO is an ELF file");
	const Elf64_Ehdr *header = (const void *)vdso;

	show(number(header->e_type), "vDSO: e_type");
	show(number(header->e_machine), "vDSO: e_machine");
	show(number(header->e_phentsize), "vDSO: e_phentsize");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		show(find(names[i]) ? "yes" : "no", "vDSO: %s", names[i]);
	const uint16_t *versions = dynamic(DT_VERSYM);
	const char *strings = dynamic(DT_STRTAB);
	const Elf64_Verdef *definition = dynamic(DT_VERDEF);

	for (int i = 0; definition; i++) {
		const Elf64_Verdaux *aux =
			(const void *)((const char *)definition + definition->vd_aux);

		show(strings + aux->vda_name, "vDSO: version %d", i);
		if (!definition->vd_next)
			break;
		definition = (const void *)((const char *)definition + definition->vd_next);
	}
	show(versions ? "yes" : "no", "vDSO: symbols have versions");
	gettime_function *gettime = (gettime_function *)find(names[0]);
	gettime_function *getres = (gettime_function *)find(names[1]);
	gettimeofday_function *timeofday = (gettimeofday_function *)find(names[2]);
	time_function *seconds = (time_function *)find(names[3]);
	getcpu_function *cpu = (getcpu_function *)find(names[4]);

	if (!gettime || !getres || !timeofday || !seconds || !cpu)
		return;
	EACH(i)
	{
		int result = gettime(numbers[i], &middle);

		show(number(result), "vDSO: clock_gettime of %d", numbers[i]);
		result = getres(numbers[i], &middle);
		show(number(result), "vDSO: clock_getres of %d", numbers[i]);
		if (!result)
			show(number(middle.tv_nsec), "vDSO: resolution of %d", numbers[i]);
		if (numbers[i] < 0 || numbers[i] > 11 || numbers[i] == 10 || numbers[i] == 5 ||
		    numbers[i] == 6)
			continue;
		syscall(SYS_clock_gettime, numbers[i], &before);
		gettime(numbers[i], &middle);
		syscall(SYS_clock_gettime, numbers[i], &after);
		show(ns_between(&before, &middle) >= 0 && ns_between(&middle, &after) >= 0 ? "yes" :
											     "no",
		     "vDSO: clock %d agrees with the system call", numbers[i]);
	}
	struct timeval now;
	struct timezone zone = { 3, 3 };
	time_t second = 0;
	unsigned int found = 77, node = 77;

	syscall(SYS_clock_gettime, CLOCK_REALTIME, &before);
	show(number(timeofday(&now, &zone)), "vDSO: gettimeofday");
	show(now.tv_sec - before.tv_sec <= 1 ? "yes" : "no", "vDSO: gettimeofday agrees");
	show(number(zone.tz_minuteswest), "vDSO: minutes west");
	show(number(timeofday(NULL, NULL)), "vDSO: gettimeofday of nothing");
	show(seconds(&second) == second ? "equal" : "different", "vDSO: time's two results");
	show(second - before.tv_sec <= 1 ? "yes" : "no", "vDSO: time agrees");
	show(number(getres(CLOCK_MONOTONIC, NULL)), "vDSO: clock_getres of nothing");
	show(number(cpu(&found, &node, NULL)), "vDSO: getcpu");
	show(found == (unsigned int)sched_getcpu() ? "yes" : "no", "vDSO: getcpu's CPU");
	show(number(node), "vDSO: getcpu's node");
	show(number(cpu(NULL, NULL, NULL)), "vDSO: getcpu of nothing");
	SEE(syscall(SYS_getcpu, bad, NULL, NULL));
	SEE(syscall(SYS_getcpu, NULL, bad, NULL));
	SEE(syscall(SYS_getcpu, NULL, NULL, bad));
	fflush(stdout);
	if (fork() == 0) {
		show(number(gettime(CLOCK_MONOTONIC, &middle)), "vDSO: in a child");
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	show(outcome(mprotect((void *)vdso, PAGE_BYTES, PROT_READ | PROT_EXEC)), "vDSO: mprotect");
}

int main(void)
{
	see_usage();
	see_vdso();
	return 0;
}
