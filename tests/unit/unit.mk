# Unit tests: the machine-independent perf core and the PMU drivers on the build host, against the simulated machine
# of tests/unit/sim, under AddressSanitizer and UndefinedBehaviorSanitizer. Each tests/unit/NAME_test.c becomes
# $(O)/unit/NAME_test, which prints TAP. `make unit` builds all of them.

UNIT_NAMES := $(patsubst tests/unit/%.c,%,$(sort $(wildcard tests/unit/*_test.c)))
UNIT_TESTS := $(UNIT_NAMES:%=$(O)/unit/%)

UNIT_KERNEL_SRCS := $(sort $(wildcard kernel/perf/*.c arch/x86_64/pmu/*.c)) kernel/random/chacha20.c kernel/sched/runqueue.c kernel/debug/lock_graph.c $(sort $(wildcard kernel/trace/*.c)) kernel/fs/text.c
UNIT_KERNEL_OBJS := $(UNIT_KERNEL_SRCS:%=$(O)/unit/%.o)
UNIT_SIM_SRCS := $(sort $(wildcard tests/unit/sim/*.c))
UNIT_SIM_OBJS := $(UNIT_SIM_SRCS:%=$(O)/unit/%.o)

UNIT_CPPFLAGS := -Itests/unit/include -Iinclude -DTALLY_DEBUG=1 -DTAP_DIAGNOSTICS=stderr -MMD -MP
UNIT_CFLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror -Wno-unused-parameter -fno-omit-frame-pointer \
	-fsanitize=address,undefined -fno-sanitize-recover=all -pthread
# Kernel sources see newlib's headers, as in the kernel; tests and the simulated machine see the host's first.
UNIT_KERNEL_INCLUDES := -nostdinc -isystem $(shell $(CC) -print-file-name=include) -isystem $(NEWLIB)/include
UNIT_HOST_INCLUDES := -D_GNU_SOURCE -idirafter $(NEWLIB)/include

.PHONY: unit
unit: $(UNIT_TESTS)

# -fno-strict-aliasing: as the kernel itself is built.
$(O)/unit/kernel/%.c.o: kernel/%.c | $(NEWLIB_STAMP)
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

$(O)/unit/string_test: $(O)/unit/arch/x86_64/string.S.o

# Archives, so that a test links only what it reaches: the ring buffer's does not need a scheduler.
$(O)/unit/kernel.a: $(UNIT_KERNEL_OBJS)
	@rm -f $@
	ar rcs $@ $^

$(O)/unit/sim.a: $(UNIT_SIM_OBJS)
	@rm -f $@
	ar rcs $@ $^

$(UNIT_TESTS): $(O)/unit/%: $(O)/unit/tests/unit/%.c.o $(O)/unit/kernel.a $(O)/unit/sim.a
	$(CC) $(UNIT_CFLAGS) $(filter %.o,$^) -Wl,--start-group $(O)/unit/kernel.a $(O)/unit/sim.a -Wl,--end-group -o $@

-include $(UNIT_KERNEL_OBJS:.o=.d) $(UNIT_SIM_OBJS:.o=.d) $(UNIT_NAMES:%=$(O)/unit/tests/unit/%.c.d)
