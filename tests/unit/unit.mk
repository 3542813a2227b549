# Unit tests: the machine-independent perf core and the PMU drivers on the build host, against the simulated machine
# of tests/unit/sim, under AddressSanitizer and UndefinedBehaviorSanitizer. Each tests/unit/NAME_test.c becomes
# $(O)/unit/NAME_test, which prints TAP. `make unit` builds all of them. Those named NAME_threads_test make every
# CPU a thread of the host and are under ThreadSanitizer instead. Those named model_NAME_test are of the emulator's model
# of caches, TLBs and prediction (qemu/files/model), of its functions (qemu/files/functions), or of IBS (qemu/files/sampling): neither kernel nor simulated machine; model_replay runs traces through it.

UNIT_THREADS_NAMES := $(patsubst tests/unit/%.c,%,$(sort $(wildcard tests/unit/*_threads_test.c)))
UNIT_MODEL_NAMES := $(patsubst tests/unit/%.c,%,$(sort $(wildcard tests/unit/model_*_test.c)))
UNIT_NAMES := $(filter-out $(UNIT_THREADS_NAMES) $(UNIT_MODEL_NAMES),$(patsubst tests/unit/%.c,%,$(sort $(wildcard tests/unit/*_test.c))))
UNIT_THREADS_TESTS := $(UNIT_THREADS_NAMES:%=$(O)/unit/threads/%)
UNIT_MODEL_TESTS := $(UNIT_MODEL_NAMES:%=$(O)/unit/%)
UNIT_TESTS := $(UNIT_NAMES:%=$(O)/unit/%) $(UNIT_MODEL_TESTS) $(UNIT_THREADS_TESTS)

UNIT_KERNEL_SRCS := $(sort \
	$(wildcard kernel/perf/*.c) \
	$(wildcard kernel/pmu/*.c) \
	$(wildcard kernel/trace/*.c) \
	$(wildcard arch/x86_64/pmu/*.c) \
	$(filter-out arch/alpha/pmu/init.c arch/alpha/pmu/perfctr.c,$(wildcard arch/alpha/pmu/*.c)) \
	$(wildcard drivers/pci/*.c) \
	arch/alpha/asn.c \
	arch/x86_64/devices/steps_check.c \
	drivers/idxd/perfmon.c \
	drivers/virtio/console.c \
	drivers/virtio/device.c \
	drivers/virtio/net.c \
	drivers/virtio/p9.c \
	drivers/virtio/pci.c \
	drivers/virtio/port.c \
	drivers/virtio/queue.c \
	kernel/debug/lock_graph.c \
	kernel/fs/9p/change.c \
	kernel/fs/9p/client.c \
	kernel/fs/9p/directory.c \
	kernel/fs/9p/entries.c \
	kernel/fs/9p/message.c \
	kernel/fs/9p/source.c \
	kernel/fs/9p/writing.c \
	kernel/mm/text.c \
	kernel/perfctr/perfctr.c \
	kernel/random/chacha20.c \
	kernel/sched/runqueue.c \
	kernel/smp/cpu_list.c \
	kernel/smp/cpu_mask.c)
UNIT_KERNEL_OBJS := $(UNIT_KERNEL_SRCS:%=$(O)/unit/%.o)
UNIT_SIM_SRCS := $(sort $(wildcard tests/unit/sim/*.c))
UNIT_SIM_OBJS := $(UNIT_SIM_SRCS:%=$(O)/unit/%.o)

UNIT_CPPFLAGS := -Itests/unit/include -Iinclude -DTALLY_DEBUG=1 -DTAP_DIAGNOSTICS=stderr -MMD -MP
UNIT_COMMON_CFLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror -Wno-unused-parameter -fno-omit-frame-pointer -pthread
UNIT_CFLAGS := $(UNIT_COMMON_CFLAGS) -fsanitize=address,undefined -fno-sanitize-recover=all
ifeq ($(COVERAGE),1)
# For `make coverage`: every branch of the source is a branch of the code, and no sanitizer or assertion adds one.
UNIT_CFLAGS := $(UNIT_COMMON_CFLAGS) -O0 --coverage
UNIT_CPPFLAGS := -Itests/unit/include/coverage $(UNIT_CPPFLAGS)
endif
# -fno-builtin: ThreadSanitizer does not see a memcpy that the compiler makes instructions of.
UNIT_THREADS_CFLAGS := $(UNIT_COMMON_CFLAGS) -fsanitize=thread -fno-builtin
# Kernel sources see newlib's headers, as in the kernel; tests and the simulated machine see the host's first.
UNIT_KERNEL_INCLUDES := -nostdinc -isystem $(shell $(CC) -print-file-name=include) -isystem $(NEWLIB)/include
UNIT_HOST_INCLUDES := -D_GNU_SOURCE -idirafter $(NEWLIB)/include -idirafter include/uapi

.PHONY: unit mutants coverage unit-flags
#: unit             builds the unit tests; build/unit/NAME runs one
unit: $(UNIT_TESTS) $(O)/unit/model_replay

#: mutants          measures the unit tests by faults: ONLY="NAME …" tries some of them
# For people, and before each release: puts faults into the core and the drivers, one at a time, and lists those that
# no unit test notices (tests/mutants/mutants). ONLY=NAME… tries some of them.
mutants: unit
	@tests/mutants/mutants $(ONLY)

#: coverage         prints the branches of kernel/perf that the unit tests take
# Which branches of kernel/perf the unit tests take; MISSING=1 also prints the lines with others.
coverage:
	@$(MAKE) --no-print-directory O=$(O)/coverage COVERAGE=1 coverage-programs
	@tests/unit/coverage $(if $(filter 1,$(MISSING)),--missing) $(O)/coverage $(UNIT_NAMES:%=$(O)/coverage/unit/%)

.PHONY: coverage-programs
coverage-programs: $(UNIT_NAMES:%=$(O)/unit/%)

# For tests/mutants/mutants: how sources of the kernel and of the model are compiled here, and tests linked; TEST:OBJECT for
# objects that a test links beside the archives.
unit-flags:
	@echo 'compile=$(CC) $(UNIT_CPPFLAGS) $(UNIT_KERNEL_INCLUDES) $(UNIT_CFLAGS) -fno-strict-aliasing -Wno-error'
	@echo 'link=$(CC) $(UNIT_CFLAGS)'
	@echo 'tests=$(UNIT_NAMES)'
	@echo 'beside=$(foreach test,$(UNIT_BESIDE),$(BESIDE_$(test):%=$(test):%))'
	@echo 'threads-compile=$(CC) $(UNIT_CPPFLAGS) $(UNIT_KERNEL_INCLUDES) $(UNIT_THREADS_CFLAGS) -fno-strict-aliasing -Wno-error'
	@echo 'threads-link=$(CC) $(UNIT_THREADS_CFLAGS)'
	@echo 'threads-tests=$(UNIT_THREADS_NAMES)'
	@echo 'model-compile=$(CC) $(UNIT_MODEL_CPPFLAGS) $(UNIT_CFLAGS) -Wno-error'
	@echo 'model-link=$(CC) $(UNIT_CFLAGS)'
	@echo 'model-tests=$(UNIT_MODEL_NAMES)'

# -fno-strict-aliasing: as the kernel itself is built.
$(O)/unit/kernel/%.c.o: kernel/%.c | $(NEWLIB_STAMP)
	@mkdir -p $(@D)
	$(CC) $(UNIT_CPPFLAGS) $(UNIT_KERNEL_INCLUDES) $(UNIT_CFLAGS) -fno-strict-aliasing -c $< -o $@

$(O)/unit/drivers/%.c.o: drivers/%.c | $(NEWLIB_STAMP)
	@mkdir -p $(@D)
	$(CC) $(UNIT_CPPFLAGS) $(UNIT_KERNEL_INCLUDES) $(UNIT_CFLAGS) -fno-strict-aliasing -c $< -o $@

$(O)/unit/arch/%.c.o: arch/%.c | $(NEWLIB_STAMP)
	@mkdir -p $(@D)
	$(CC) $(UNIT_CPPFLAGS) $(UNIT_KERNEL_INCLUDES) $(UNIT_CFLAGS) -fno-strict-aliasing -c $< -o $@

$(O)/unit/tests/%.c.o: tests/%.c | $(NEWLIB_STAMP)
	@mkdir -p $(@D)
	$(CC) $(UNIT_CPPFLAGS) $(UNIT_HOST_INCLUDES) $(UNIT_CFLAGS) -c $< -o $@

# Under names that are not the C library's own.
$(O)/unit/arch/%.S.o: arch/%.S
	@mkdir -p $(@D)
	$(CC) -Dmemcpy=kernel_memcpy -Dmemmove=kernel_memmove -Dmemset=kernel_memset -c $< -o $@

# Objects that a test links beside the archives.
UNIT_BESIDE := string_test event_source_test sysctl_test ev67_perfctr_test set_aside_test name_tree_test virtio_mmio_test
BESIDE_string_test := $(O)/unit/arch/x86_64/string.S.o
# These files define no symbol, so an archive does not yield them: START registers their only entry point.
BESIDE_event_source_test := $(O)/unit/kernel/perf/event_source.c.o $(O)/unit/kernel/fs/pseudo_number.c.o
BESIDE_sysctl_test := $(O)/unit/kernel/perf/sysctl.c.o
BESIDE_virtio_mmio_test := $(O)/unit/drivers/virtio/mmio.c.o
# perfctr's low level of each ISA has the same names: the archive has x86's.
BESIDE_ev67_perfctr_test := $(O)/unit/arch/alpha/pmu/perfctr.c.o

# The simulated memory has the names of the kernel's allocators, for which an address is its own physical one here.
$(O)/unit/kernel/mm/page.c.o: UNIT_CPPFLAGS += -DDIRECT_MAP_BASE=0 -DKERNEL_IMAGE_BASE=UINTPTR_MAX
BESIDE_set_aside_test := $(O)/unit/kernel/mm/page.c.o $(O)/unit/kernel/mm/kmalloc.c.o $(O)/unit/kernel/debug/poison.c.o
BESIDE_name_tree_test := $(O)/unit/kernel/fs/name_tree.c.o

$(foreach test,$(UNIT_BESIDE),$(eval $(O)/unit/$(test): $(BESIDE_$(test))))

# Archives, so that a test links only what it reaches: the ring buffer's does not need a scheduler.
$(O)/unit/kernel.a: $(UNIT_KERNEL_OBJS)
	@rm -f $@
	ar rcs $@ $^

$(O)/unit/sim.a: $(UNIT_SIM_OBJS)
	@rm -f $@
	ar rcs $@ $^

$(UNIT_NAMES:%=$(O)/unit/%): $(O)/unit/%: $(O)/unit/tests/unit/%.c.o $(O)/unit/kernel.a $(O)/unit/sim.a
	$(CC) $(UNIT_CFLAGS) $(filter %.o,$^) -Wl,--start-group $(O)/unit/kernel.a $(O)/unit/sim.a -Wl,--end-group -o $@

UNIT_MODEL_CPPFLAGS := -D_GNU_SOURCE -Iqemu/files/model -Iqemu/files -Itests/unit -DTAP_DIAGNOSTICS=stderr -MMD -MP
UNIT_MODEL_SRCS := $(sort $(wildcard qemu/files/model/*.c qemu/files/functions/*.c qemu/files/sampling/*.c))
UNIT_MODEL_OBJS := $(UNIT_MODEL_SRCS:%=$(O)/unit/%.o)
UNIT_MODEL_PROGRAM_OBJS := $(UNIT_MODEL_NAMES:%=$(O)/unit/tests/unit/%.c.o) $(O)/unit/tests/unit/model_replay.c.o

$(UNIT_MODEL_OBJS) $(UNIT_MODEL_PROGRAM_OBJS): $(O)/unit/%.c.o: %.c
	@mkdir -p $(@D)
	$(CC) $(UNIT_MODEL_CPPFLAGS) $(UNIT_CFLAGS) -c $< -o $@

$(O)/unit/model.a: $(UNIT_MODEL_OBJS)
	@rm -f $@
	ar rcs $@ $^

$(UNIT_MODEL_TESTS): $(O)/unit/%: $(O)/unit/tests/unit/%.c.o $(O)/unit/model.a
	$(CC) $(UNIT_CFLAGS) $^ -o $@

$(O)/unit/model_replay: $(O)/unit/tests/unit/model_replay.c.o $(O)/unit/model.a
	$(CC) $(UNIT_CFLAGS) $^ -o $@

-include $(UNIT_MODEL_OBJS:.o=.d) $(UNIT_MODEL_PROGRAM_OBJS:.o=.d)

# The same objects once more, without the queues of devices: ThreadSanitizer does not know their fences, and no two threads
# of these tests share one.
UNIT_THREADS_KERNEL_OBJS := $(patsubst %,$(O)/unit/threads/%.o,$(filter-out drivers/virtio/queue.c,$(UNIT_KERNEL_SRCS)))
UNIT_THREADS_SIM_OBJS := $(UNIT_SIM_SRCS:%=$(O)/unit/threads/%.o)

$(UNIT_THREADS_KERNEL_OBJS): $(O)/unit/threads/%.c.o: %.c | $(NEWLIB_STAMP)
	@mkdir -p $(@D)
	$(CC) $(UNIT_CPPFLAGS) $(UNIT_KERNEL_INCLUDES) $(UNIT_THREADS_CFLAGS) -fno-strict-aliasing -c $< -o $@

$(UNIT_THREADS_SIM_OBJS) $(UNIT_THREADS_NAMES:%=$(O)/unit/threads/tests/unit/%.c.o): $(O)/unit/threads/%.c.o: %.c | $(NEWLIB_STAMP)
	@mkdir -p $(@D)
	$(CC) $(UNIT_CPPFLAGS) $(UNIT_HOST_INCLUDES) $(UNIT_THREADS_CFLAGS) -c $< -o $@

$(O)/unit/threads/kernel.a: $(UNIT_THREADS_KERNEL_OBJS)
	@rm -f $@
	ar rcs $@ $^

$(O)/unit/threads/sim.a: $(UNIT_THREADS_SIM_OBJS)
	@rm -f $@
	ar rcs $@ $^

$(UNIT_THREADS_TESTS:%=%.bin): $(O)/unit/threads/%.bin: $(O)/unit/threads/tests/unit/%.c.o $(O)/unit/threads/kernel.a $(O)/unit/threads/sim.a
	$(CC) $(UNIT_THREADS_CFLAGS) $(filter %.o,$^) -Wl,--start-group $(O)/unit/threads/kernel.a $(O)/unit/threads/sim.a -Wl,--end-group -o $@

$(UNIT_THREADS_TESTS): %: tests/unit/threads %.bin
	cp $< $@

-include $(UNIT_THREADS_KERNEL_OBJS:.o=.d) $(UNIT_THREADS_SIM_OBJS:.o=.d) $(UNIT_THREADS_NAMES:%=$(O)/unit/threads/tests/unit/%.c.d)
-include $(UNIT_KERNEL_OBJS:.o=.d) $(O)/unit/arch/alpha/pmu/perfctr.c.d $(UNIT_SIM_OBJS:.o=.d) $(UNIT_NAMES:%=$(O)/unit/tests/unit/%.c.d)
