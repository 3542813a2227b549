# The kernel: every source file below boot/, arch/x86_64/, kernel/ and drivers/, and from newlib the string functions.

KERNEL_DIRS := boot arch/x86_64 kernel drivers
# The vDSO is a program's, not the kernel's: see below.
VDSO_DIR := arch/x86_64/vdso
KERNEL_SRCS := $(sort $(shell find $(KERNEL_DIRS) -path $(VDSO_DIR) -prune -o -name '*.c' -print -o -name '*.S' -print))
KERNEL_OBJS := $(KERNEL_SRCS:%=$(O)/%.o)

NEWLIB_STRING := bzero explicit_bzero memchr memcmp strchr strcmp strlcpy strlen strncmp strnlen strrchr
KERNEL_LIB_OBJS := $(NEWLIB_STRING:%=$(O)/newlib/%.o)

# Headers: ours, the compiler's own, newlib's; never the host's.
KERNEL_CPPFLAGS := -Iinclude -Iarch/x86_64/include -nostdinc -isystem $(shell $(CC) -print-file-name=include) \
	-isystem $(NEWLIB)/include -MMD -MP
KERNEL_CFLAGS := -std=gnu11 -ffreestanding -nostdlib -g -Wall -Wextra -Werror -Wno-unused-parameter \
	-mcmodel=kernel -mno-red-zone -mgeneral-regs-only -fno-pic -fno-pie -fno-stack-protector \
	-fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fcf-protection=none -fno-strict-aliasing \
	-Wframe-larger-than=2560
ifeq ($(DEBUG),1)
KERNEL_CFLAGS += -Og -DTALLY_DEBUG=1 -DTALLY_LOCK_ORDER=1 -fstack-protector-strong -mstack-protector-guard=global \
	-fsanitize=undefined -fno-sanitize-recover=all
else
KERNEL_CFLAGS += -O2
# Compiled as one: a path through the kernel crosses many files, and calls and saved registers are a tenth of it.
KERNEL_LTO := -flto=auto
endif

# The makefile is a source too: it has the flags.
# The checkers are on the way of everything, and not what is looked for.
$(O)/kernel/debug/%.c.o: KERNEL_CFLAGS += -O2 -fno-sanitize=all -fno-stack-protector

$(O)/%.c.o: %.c kernel.mk
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(CC) $(KERNEL_CPPFLAGS) $(KERNEL_CFLAGS) $(KERNEL_LTO) -c $< -o $@

$(O)/%.S.o: %.S kernel.mk
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$(CC) $(KERNEL_CPPFLAGS) $(KERNEL_CFLAGS) -D__ASSEMBLER__ -c $< -o $@

# newlib's generic C versions: its x86-64 assembly uses vector registers, which the kernel must not touch. The three that
# matter are arch/x86_64/string.S. GCC must not turn a loop of theirs into a call of itself.
NEWLIB_STRING_DIR := $(NEWLIB)/src/newlib/libc/string
$(KERNEL_LIB_OBJS): $(O)/newlib/%.o: $(NEWLIB_STAMP)
	@mkdir -p $(@D)
	$(call say,CC,newlib/$*.c)
	$(CC) -isystem $(NEWLIB)/include -I$(NEWLIB_STRING_DIR) $(KERNEL_CFLAGS) -O2 -fno-sanitize=all -fno-stack-protector -w \
		-fno-tree-loop-distribute-patterns -c $(NEWLIB_STRING_DIR)/$*.c -o $@

$(KERNEL_OBJS): | $(NEWLIB_STAMP)

# The shared object that every program finds in its memory; the kernel contains it.
VDSO := $(O)/$(VDSO_DIR)/vdso.so
VDSO_CFLAGS := -std=gnu11 -ffreestanding -nostdlib -shared -fPIC -O2 -Wall -Wextra -Werror -Wno-unused-parameter \
	-mgeneral-regs-only -fno-stack-protector -fcf-protection=none -fno-jump-tables -fasynchronous-unwind-tables
VDSO_LDFLAGS := -Wl,-soname=linux-vdso.so.1,--hash-style=both,--build-id=none,--eh-frame-hdr,-Bsymbolic,-s \
	-Wl,-z,max-page-size=4096,-z,noexecstack,-z,norelro

$(VDSO): $(VDSO_DIR)/vdso.c $(VDSO_DIR)/vdso.lds include/kernel/vdso.h include/uapi/linux/time.h kernel.mk | $(NEWLIB_STAMP)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(CC) -Iinclude -nostdinc -isystem $(shell $(CC) -print-file-name=include) -isystem $(NEWLIB)/include \
		$(VDSO_CFLAGS) $(VDSO_LDFLAGS) -Wl,-T,$(VDSO_DIR)/vdso.lds $< -o $@

$(O)/arch/x86_64/vdso_object.S.o: KERNEL_CPPFLAGS += -DVDSO_OBJECT='"$(VDSO)"'
$(O)/arch/x86_64/vdso_object.S.o: $(VDSO)

# The screen's font. FONT=FILE names another one.
FONT ?= /usr/share/consolefonts/Lat15-Fixed16.psf.gz

$(O)/drivers/font.S: tools/font $(wildcard $(FONT)) kernel.mk
	@mkdir -p $(@D)
	$(call say,FONT,$(FONT))
	[ -r $(FONT) ] || tools/deps drivers/packages
	tools/font $(FONT) >$@

$(O)/drivers/font.o: $(O)/drivers/font.S
	$(CC) -c $< -o $@

KERNEL_OBJS += $(O)/drivers/font.o

-include $(KERNEL_OBJS:.o=.d)

# whole.o is every object as one. A second link of it adds the names for backtraces, see boot/symbols.awk.
# tally.o is the whole kernel with its table of symbols as one object: linked by linker.ld alone it is tally.elf,
# and together with an object that has a section .initramfs it is a unikernel.
NM ?= nm
KERNEL_LDFLAGS := -nostdlib -z max-page-size=0x1000 -z noexecstack --no-warn-rwx-segments

$(O)/kernel/whole.o: $(KERNEL_OBJS) $(KERNEL_LIB_OBJS) kernel.mk
	$(call say,LD,$@)
	$(CC) $(KERNEL_CFLAGS) $(KERNEL_LTO) -r -flinker-output=nolto-rel -o $@ $(KERNEL_OBJS) $(KERNEL_LIB_OBJS)

$(O)/kernel/unnamed.elf: $(O)/kernel/whole.o linker.ld
	$(LD) $(KERNEL_LDFLAGS) -T linker.ld -o $@ $<

$(O)/kernel/symbols.S: $(O)/kernel/unnamed.elf boot/symbols.awk
	$(NM) -n $< | LC_ALL=C awk -f boot/symbols.awk >$@

$(O)/kernel/symbols.o: $(O)/kernel/symbols.S
	$(CC) -c $< -o $@

$(O)/tally.o: $(O)/kernel/whole.o $(O)/kernel/symbols.o
	$(LD) -r -o $@ $^

$(O)/tally.elf: $(O)/tally.o linker.ld
	$(call say,LD,$@)
	$(LD) $(KERNEL_LDFLAGS) -T linker.ld -o $@ $<
