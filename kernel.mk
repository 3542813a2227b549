# The kernel: every source file below boot/, arch/x86_64/, kernel/ and drivers/, and from newlib the string functions.

KERNEL_DIRS := boot arch/x86_64 kernel drivers
KERNEL_SRCS := $(sort $(shell find $(KERNEL_DIRS) -name '*.c' -o -name '*.S'))
KERNEL_OBJS := $(KERNEL_SRCS:%=$(O)/%.o)

NEWLIB_STRING := memchr memcmp memcpy memmove memset strchr strcmp strlcpy strlen strncmp strnlen strrchr
KERNEL_LIB_OBJS := $(NEWLIB_STRING:%=$(O)/newlib/%.o)

KERNEL_CPPFLAGS := -Iinclude -Iarch/x86_64/include -idirafter $(NEWLIB)/include -MMD -MP
KERNEL_CFLAGS := -std=gnu11 -ffreestanding -nostdlib -g -Wall -Wextra -Werror -Wno-unused-parameter \
	-mcmodel=kernel -mno-red-zone -mgeneral-regs-only -fno-pic -fno-pie -fno-stack-protector \
	-fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fcf-protection=none -fno-strict-aliasing
ifeq ($(DEBUG),1)
KERNEL_CFLAGS += -Og -DTALLY_DEBUG=1
else
KERNEL_CFLAGS += -O2
endif

$(O)/%.c.o: %.c
	@mkdir -p $(@D)
	$(CC) $(KERNEL_CPPFLAGS) $(KERNEL_CFLAGS) -c $< -o $@

$(O)/%.S.o: %.S
	@mkdir -p $(@D)
	$(CC) $(KERNEL_CPPFLAGS) $(KERNEL_CFLAGS) -D__ASSEMBLER__ -c $< -o $@

# newlib's generic C versions: its x86-64 assembly uses vector registers, which the kernel must not touch.
$(O)/newlib/%.o: $(NEWLIB)/src/newlib/libc/string/%.c
	@mkdir -p $(@D)
	$(CC) -isystem $(NEWLIB)/include $(KERNEL_CFLAGS) -w -DPREFER_SIZE_OVER_SPEED -c $< -o $@

$(KERNEL_OBJS) $(KERNEL_LIB_OBJS): | $(NEWLIB_STAMP)

-include $(KERNEL_OBJS:.o=.d)
