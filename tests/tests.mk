# The tests: what they are made of, and `make check`, which runs every one of them with prove (tests/check).
# tests/README.md describes each group.

# Scripts find what was built here through this variable, and so does tools/tally: Alpha's things are below.
export TALLY_BUILD := $(abspath $(O:%/alpha=%))
# The debug kernel, which DEBUG=1 makes of everything; else some tests want it beside the other one.
CHECK_DEBUG_KERNEL := $(if $(filter 1,$(DEBUG)),$(O)/tally.elf,$(O)/debug/tally.elf)
export TALLY_DEBUG_KERNEL := $(abspath $(CHECK_DEBUG_KERNEL))
# Tests in Python find their package, tests/tallytest, and the host command's, tools/tallylib, here.
export PYTHONPATH := $(CURDIR)/tests:$(CURDIR)/tools

include tests/unit/unit.mk

CHECK_DEPS := $(wildcard drivers/packages qemu/packages userland/packages tools/packages tests/packages)

# Programs for both kernels: static executables of the build host's C library, or of none.
CHECK_TOOL_PROGRAMS := $(patsubst tests/tools/programs/%.c,$(O)/tests/%,$(wildcard tests/tools/programs/*.c))
CHECK_PAIR_PROGRAMS := $(patsubst tests/conformance/programs/%.c,$(O)/tests/%,$(wildcard tests/conformance/programs/*.c))

$(CHECK_TOOL_PROGRAMS): $(O)/tests/%: tests/tools/programs/%.c tests/tools/programs/system_call.h
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(CC) -O2 -g -Wall -Wextra -Werror -ffreestanding -fno-pie -fno-stack-protector -nostdlib -static -no-pie \
		-Wl,--build-id=none $< -o $@

# The same bytes wherever the clone is and whatever the comments say, as when Linux was asked: no line numbers. See
# tests/tallytest/linux_answers.py.
CHECK_ANYWHERE := -g0 -ffile-prefix-map=$(CURDIR)=.

$(CHECK_PAIR_PROGRAMS): $(O)/tests/%: tests/conformance/programs/%.c $(wildcard tests/conformance/programs/*.h)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(CC) -D_GNU_SOURCE -O2 $(CHECK_ANYWHERE) -Wall -Wextra -Werror -fno-pie -static -no-pie $< -o $@

$(O)/tests/fuzz: $(wildcard tests/fuzz/*.[ch])
	@mkdir -p $(@D)
	$(call say,CC,tests/fuzz)
	$(CC) -O2 -g -Wall -Wextra -Werror -fno-pie -static -no-pie -pthread -idirafter include/uapi $(filter %.c,$^) -o $@

# The rules of all files are one program: see tests/conformance/rules/rules.h.
$(O)/tests/rules: $(wildcard tests/conformance/rules/*.[ch]) tests/unit/tap.h tests/conformance/programs/work.h
	@mkdir -p $(@D)
	$(call say,CC,tests/conformance/rules)
	$(CC) -O2 $(CHECK_ANYWHERE) -Wall -Wextra -Werror -fno-pie -static -no-pie -pthread $(filter %.c,$^) -o $@

$(O)/tests/pfm_count: tests/perf/programs/pfm_count.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(CC) -O2 -g -Wall -Wextra -Werror $< -o $@ -lpfm

$(O)/tests/scattered $(O)/tests/changed: $(O)/tests/%: tests/perf/programs/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(CC) -O2 -g -Wall -Wextra -Werror -fno-pie -static -no-pie $< -o $@

$(O)/tests/linux-init: tests/conformance/init.c
$(O)/tests/mounted: tests/conformance/mounted.c
$(O)/tests/linux-init $(O)/tests/mounted:
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(CC) -O2 $(CHECK_ANYWHERE) -Wall -Wextra -Werror -static $< -o $@

# Guests of 32 bits that stand in for the kernel, or for its boot loader (64 MiB up, out of the kernel's way). One
# segment each, so that a boot loader needs no more.
$(O)/tests/guest.elf: CHECK_GUEST_AT := 0x100000
$(O)/tests/loader.elf: CHECK_GUEST_AT := 0x4000000
$(O)/tests/guest.elf $(O)/tests/loader.elf: $(O)/tests/%.elf: tests/tools/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(CC) -m32 -O2 -g -Wall -Wextra -Werror -ffreestanding -fno-pic -fno-pie -fno-stack-protector \
		-fcf-protection=none -fno-asynchronous-unwind-tables -mgeneral-regs-only -nostdlib -static -no-pie \
		-Wl,--build-id=none,-Ttext=$(CHECK_GUEST_AT),-N,--no-warn-rwx-segments $< -o $@

# Programs for Tally on Alpha, static ones of the GNU C library. --no-relax: see docs/boot.md.
CHECK_ALPHA_PROGRAMS := $(patsubst tests/alpha/programs/%.c,$(O)/alpha/tests/%,$(wildcard tests/alpha/programs/*.c))

# They may use libspin and libperf.
CHECK_ALPHA_LIBS := $(wildcard userland/libspin/*.c userland/libspin/alpha/*.[cS]) userland/libperf/perf_ring.c userland/libperf/profileme.c

$(CHECK_ALPHA_PROGRAMS): $(O)/alpha/tests/%: tests/alpha/programs/%.c $(CHECK_ALPHA_LIBS) $(wildcard tests/alpha/programs/*.h tests/boot/*.h tests/boot/alpha/*.h)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	alpha-linux-gnu-gcc -O2 -mcpu=ev67 -Wall -Wextra -Werror -Wno-array-bounds -static -pthread -Wl,--no-relax \
		-Iuserland/libspin -Iuserland/libperf -idirafter include/uapi $< $(CHECK_ALPHA_LIBS) -o $@

# One of them with shared libraries, where the linker puts it and where the kernel does.
CHECK_ALPHA_DYNAMIC := $(O)/alpha/tests/tasks-dynamic $(O)/alpha/tests/tasks-pie

$(O)/alpha/tests/tasks-dynamic: CHECK_ALPHA_PLACE := -fno-pie -no-pie
$(O)/alpha/tests/tasks-pie: CHECK_ALPHA_PLACE := -fpie -pie
$(CHECK_ALPHA_DYNAMIC): tests/alpha/programs/tasks.c tests/alpha/programs/points.h
	@mkdir -p $(@D)
	$(call say,CC,$<)
	alpha-linux-gnu-gcc -O2 -mcpu=ev67 -Wall -Wextra -Werror -pthread $(CHECK_ALPHA_PLACE) $< -o $@

# The observing programs, for Alpha too, but for those that docs/abi-differences.md lists.
CHECK_NOT_ALPHA := $(shell sed -n '/^\#\# Programs that are not for Alpha/,/^\#\# R/s/^| \(observe_[a-z0-9_]*\) .*/\1/p' docs/abi-differences.md)
CHECK_ALPHA_PAIRS := $(filter-out $(CHECK_NOT_ALPHA),$(CHECK_PAIR_PROGRAMS:$(O)/tests/%=%))
CHECK_ALPHA_PAIR_PROGRAMS := $(CHECK_ALPHA_PAIRS:%=$(O)/alpha/tests/%)

$(CHECK_ALPHA_PAIR_PROGRAMS): $(O)/alpha/tests/%: tests/conformance/programs/%.c $(wildcard tests/conformance/programs/*.h)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	alpha-linux-gnu-gcc -D_GNU_SOURCE -O2 -mcpu=ev67 -Wall -Wextra -Werror -Wno-array-bounds -static -Wl,--no-relax $< -o $@

$(O)/alpha/tests/rules: $(wildcard tests/conformance/rules/*.[ch]) tests/unit/tap.h tests/conformance/programs/work.h
	@mkdir -p $(@D)
	$(call say,CC,tests/conformance/rules)
	alpha-linux-gnu-gcc -O2 -mcpu=ev67 -Wall -Wextra -Werror -Wno-array-bounds -static -pthread -Wl,--no-relax $(filter %.c,$^) -o $@

#: alpha            builds the kernel for Alpha and its programs, beside those for x86-64
alpha:
	@$(MAKE) --no-print-directory ARCH=alpha O=$(O)/alpha CC=alpha-linux-gnu-gcc LD=alpha-linux-gnu-ld all

.PHONY: check-programs check-deps check check-alpha debug-kernel alpha fuzz linux-answers check-quick

#: debug-kernel     builds the debug kernel: poisoned memory, undefined behaviour, lock order

ifeq ($(filter 1,$(DEBUG)),)
debug-kernel:
	@$(MAKE) --no-print-directory O=$(O)/debug DEBUG=1 $(CHECK_DEBUG_KERNEL)
else
debug-kernel: $(CHECK_DEBUG_KERNEL)
endif

# The kernels without parts of tests/boot/smallest.t, which has them linked again if need be: the debug kernel without each
# part, and the release kernel without all. Links only, but the optimizer sees all of the second.
ifeq ($(filter 1,$(DEBUG)),)
CHECK_WITHOUT_ONE := $(KERNEL_PARTS:%=kernel-without-%)
CHECK_EMPTY :=
CHECK_SMALLEST := without-$(subst $(CHECK_EMPTY) ,-,$(KERNEL_PARTS))
.PHONY: $(CHECK_WITHOUT_ONE) smallest-kernel
$(CHECK_WITHOUT_ONE): kernel-without-%: debug-kernel
	@$(MAKE) --no-print-directory DEBUG=1 O=$(O)/debug/without-$* OBJECTS=$(O)/debug WITHOUT=$* $(O)/debug/without-$*/tally.elf
smallest-kernel: $(O)/tally.elf
	@$(MAKE) --no-print-directory O=$(O)/$(CHECK_SMALLEST) OBJECTS=$(O) WITHOUT="$(KERNEL_PARTS)" $(O)/$(CHECK_SMALLEST)/tally.elf
CHECK_SMALLER_KERNELS := $(CHECK_WITHOUT_ONE) smallest-kernel
endif

check-programs: $(CHECK_TOOL_PROGRAMS) $(CHECK_PAIR_PROGRAMS) $(O)/tests/linux-init $(O)/tests/mounted $(O)/tests/pfm_count $(O)/tests/scattered $(O)/tests/changed $(O)/tests/fuzz $(O)/tests/rules \
	$(O)/tests/guest.elf $(O)/tests/loader.elf $(CHECK_ALPHA_PROGRAMS) $(CHECK_ALPHA_DYNAMIC) $(CHECK_ALPHA_PAIR_PROGRAMS) $(O)/alpha/tests/rules

check-deps:
	@tools/deps $(CHECK_DEPS)

#: linux-answers    asks Debian's Linux 6.12 what the conformance tests compare with: PROGRAMS="exec futex"
# It writes the answers to tests/conformance/linux-6.12/. PROGRAMS=stale asks for the answers that are out of date.
linux-answers: check-deps
	@$(MAKE) --no-print-directory $(CHECK_PARALLEL) qemu check-programs user user-libraries
	@tests/conformance/ask-linux $(PROGRAMS)

#: fuzz             attacks the debug kernel for MINUTES=10, from SEED=N; see tests/README.md
MINUTES ?= 10
fuzz: debug-kernel $(O)/tests/fuzz qemu
	@tests/fuzz/run --live $$(($(MINUTES) * 60)) $(SEED)

# The longest first, by the CPU time of each, so that none is left to run alone at the end. (The times that prove prints are not a
# test's own: they include each other test that ends meanwhile.) Four at once: several wait for machines that sleep, and two CPUs
# are to be busy.
CHECK_LONGEST = $(addprefix tests/,conformance/transcripts.t report/faults.t boot/debug.t kvm/report.t fuzz/seeds.t \
	boot/smallest.t kvm/programs.t alpha/cpus-4.t boot/icount.t tools/pipe.t perf/count.t tools/documents.t \
	media/disks.t boot/cpus-2.t boot/cpus-1.t kvm/failures.t debian/stress-ng.t media/screens.t alpha/transcripts.t \
	perf/model.t debian/ci.t perf/functions.t media/network.t debian/packages.t report/lava.t perf/misses.t \
	debian/oci.t perf/cachegrind.t boot/cpus-4.t report/machines.t qemu/model.t kvm/rules.t boot/cpus-8.t \
	tools/share.t media/machines.t boot/irqs-off.t qemu/sse.t debian/lspci.t perf/dsa.t qemu/migration.t \
	alpha/cpus-1.t debian/gdb.t qemu/faults.t qemu/ibs-linux.t perf/amd.t perf/inlined.t debian/net.t perf/record.t \
	debian/python.t report/holds.t alpha/cpus-2.t boot/machines.t alpha/pmu.t perf/cases.t tools/count.t \
	conformance/rules.t) \
	$(addprefix $(O)/unit/,threads/hotplug_threads_test counters_race_test perfctr_x86_nmi_test)
CHECK_SCRIPTS = $(CHECK_LONGEST) $(filter-out $(CHECK_LONGEST),$(wildcard tests/alpha/*.t tests/qemu/*.t tests/bench/*.t tests/boot/*.t tests/media/*.t \
	tests/conformance/*.t tests/debian/*.t tests/perf/*.t tests/tools/*.t tests/fuzz/*.t tests/mutants/*.t tests/kvm/*.t tests/report/*.t))

# For each change: under two minutes on two idle cores once everything is built.
CHECK_QUICK_SCRIPTS = $(wildcard tests/quick/*.t) tests/conformance/answers.t tests/conformance/rules.t tests/boot/panic.t

# Alpha's tests. Some ask what x86-64 says too, and its programs are built on the way.
CHECK_ALPHA_SCRIPTS = $(wildcard tests/alpha/*.t tests/qemu/alpha*.t tests/boot/alpha-*.t) \
	$(filter %/asn_test %/ev67_test %/ev67_race_test %/profileme_test %/profileme_decode_test,$(UNIT_TESTS))
CHECK_PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j2)

#: check            runs every test; TESTS="tests/tools/run.t …" runs some
#: check-quick      runs the tests for each change, in under two minutes
#: check-alpha      runs Alpha's tests
ifeq ($(ARCH),alpha)
# Tests and their programs are the other folder's: $(O) is one below.
check:
	@$(MAKE) --no-print-directory ARCH=x86_64 O=$(O:%/alpha=%) CC=gcc LD=ld check-alpha
else
check: check-deps
	@$(MAKE) --no-print-directory $(CHECK_PARALLEL) all qemu user-libraries check-programs unit debug-kernel alpha \
		$(if $(TESTS),$(if $(filter %/smallest.t,$(TESTS)),$(CHECK_SMALLER_KERNELS)),$(CHECK_SMALLER_KERNELS))
	@tests/check -j4 --timer --exec '' $(TESTS) $(if $(TESTS),,$(CHECK_SCRIPTS) $(filter-out $(CHECK_LONGEST),$(UNIT_TESTS)))

check-quick: check-deps
	@$(MAKE) --no-print-directory $(CHECK_PARALLEL) all qemu check-programs unit debug-kernel alpha
	@tests/check -j3 --timer --exec '' $(CHECK_QUICK_SCRIPTS) $(UNIT_TESTS)
	@echo "These were the quick ones. Everything: make check"

check-alpha: check-deps
	@$(MAKE) --no-print-directory $(CHECK_PARALLEL) qemu check-programs unit alpha
	@tests/check -j3 --timer --exec '' $(TESTS) $(if $(TESTS),,$(CHECK_ALPHA_SCRIPTS))
endif
