# The kernel: every source file of boot/ and below boot/$(ARCH)/, arch/$(ARCH)/, kernel/ and drivers/, and from newlib
# the string functions. arch/$(ARCH)/arch.mk adds one ISA's part.

KERNEL_DIRS := boot/$(ARCH) arch/$(ARCH) kernel drivers
# The vDSO is a program's, not the kernel's: see arch.mk.
VDSO_DIR := arch/$(ARCH)/vdso
KERNEL_SRCS := $(sort $(wildcard boot/*.c) \
	$(shell find $(KERNEL_DIRS) -path $(VDSO_DIR) -prune -o -name '*.c' -print -o -name '*.S' -print))

# WITHOUT="net inet trace pty perfctr", or some of them, leaves these parts out. No file below them refers to them, which
# tests/tools/layers.t checks; their system calls are ENOSYS, and the places of their listeners are empty.
KERNEL_PARTS := net inet trace pty perfctr
KERNEL_PART_net := kernel/net/%
KERNEL_PART_inet := kernel/net/inet/%
KERNEL_PART_trace := kernel/trace/%
KERNEL_PART_pty := kernel/tty/pty%
KERNEL_PART_perfctr := kernel/perfctr/% arch/$(ARCH)/pmu/perfctr.c
ifneq ($(filter-out $(KERNEL_PARTS),$(WITHOUT)),)
$(error WITHOUT=$(WITHOUT): parts that can be left out are $(KERNEL_PARTS))
endif
KERNEL_SRCS := $(filter-out $(foreach part,$(WITHOUT),$(KERNEL_PART_$(part))),$(KERNEL_SRCS))
# Files for hardware that an architecture does not drive. Alpha: the bus of its chipset has no message-signalled interrupts, and
# none of the functions with a driver is made for it.
KERNEL_ABSENT_alpha := drivers/pci/% drivers/iommu/% drivers/idxd/% drivers/virtio/% kernel/fs/sys/pci.c kernel/tty/stream.c
KERNEL_SRCS := $(filter-out $(KERNEL_ABSENT_$(ARCH)),$(KERNEL_SRCS))
# OBJECTS=DIR links the objects that another build left in DIR: a kernel without some parts is a link and no compilation.
OBJECTS ?= $(O)
KERNEL_OBJS := $(KERNEL_SRCS:%=$(OBJECTS)/%.o)

# The parts that the last build of the folder left out; touched only when they change.
$(O)/without: FORCE
	@mkdir -p $(@D)
	echo '$(sort $(WITHOUT))' | cmp -s - $@ || echo '$(sort $(WITHOUT))' >$@

.PHONY: FORCE
FORCE:

$(O)/kernel/whole.o: $(O)/without
# The linker script, preprocessed: $(O)/linker.ld of linker.ld and <machine/link.h>.
KERNEL_LDS := $(O)/linker.ld

NEWLIB_STRING := bzero explicit_bzero memchr memcmp strchr strcmp strcspn strlcpy strlen strncmp strnlen strrchr strstr

# Headers: ours, the compiler's own, newlib's; never the host's.
KERNEL_CPPFLAGS := -Iinclude -Iarch/$(ARCH)/include -nostdinc -isystem $(shell $(CC) -print-file-name=include) \
	-isystem $(NEWLIB)/include -MMD -MP
KERNEL_CFLAGS := -std=gnu11 -ffreestanding -nostdlib -g -Wall -Wextra -Werror -Wno-unused-parameter \
	-fno-pic -fno-pie -fno-stack-protector -fno-omit-frame-pointer -fno-asynchronous-unwind-tables \
	-fno-strict-aliasing -Wframe-larger-than=2560
ifeq ($(DEBUG),1)
# The emulator finds the way back of each call anew; -Og inlines no function, and its kernel needs a sixth more time.
KERNEL_CFLAGS += -O1 -finline-small-functions -DTALLY_DEBUG=1 -DTALLY_LOCK_ORDER=1 -fsanitize=undefined -fno-sanitize-recover=all
# An unset variable has bytes 0xfe, which tests/fuzz recognizes when they come out of the kernel.
KERNEL_CFLAGS += -ftrivial-auto-var-init=pattern
else
# Aligned loops and jumps cost bytes and executed NOPs, and no count here gains by them.
KERNEL_CFLAGS += -O2 -falign-functions=4 -falign-loops=1 -falign-jumps=1 -falign-labels=1
# Compiled as one: a path through the kernel crosses many files, and calls and saved registers are a tenth of it.
KERNEL_LTO := -flto=auto
endif
KERNEL_LDFLAGS := -nostdlib -z noexecstack --no-warn-rwx-segments --build-id=sha1

# Adds to all of the above; may take KERNEL_LTO away.
include arch/$(ARCH)/arch.mk
KERNEL_LIB_OBJS := $(NEWLIB_STRING:%=$(O)/newlib/%.o)

# lwIP, from Debian's source: the files of TCP and UDP, of the two IPs, and of Ethernet. Linked into one object with what the kernel
# calls of it and no more; LWIP_CALLS are those functions.
LWIP := $(shell kernel/net/inet/lwip-source --path)
LWIP_STAMP := $(LWIP)/src/core/tcp.c
LWIP_FILES := core/def core/ip core/mem core/memp core/netif core/pbuf core/tcp core/tcp_in core/tcp_out core/udp \
	core/inet_chksum core/ipv4/etharp core/ipv4/icmp core/ipv4/ip4 core/ipv4/ip4_addr core/ipv4/ip4_frag core/ipv6/ip6 \
	core/ipv6/ip6_addr netif/ethernet
LWIP_CALLS := ethernet_input etharp_output etharp_tmr inet_chksum ip4_addr_isbroadcast_u32 ip4addr_aton ip_input ip_reass_tmr \
	ip_addr_any ip6_addr_any ip_addr_any_type lwip_htonl lwip_htons netif_add pbuf_alloc pbuf_clone pbuf_coalesce \
	pbuf_copy_partial pbuf_free pbuf_realloc tcp_abandon tcp_abort tcp_accept tcp_arg tcp_backlog_accepted tcp_backlog_delayed tcp_bind tcp_close \
	tcp_connect tcp_err tcp_fasttmr tcp_init tcp_listen_with_backlog tcp_new_ip_type tcp_output tcp_poll tcp_recv \
	tcp_recved tcp_sent tcp_shutdown tcp_slowtmr tcp_txnow tcp_write udp_bind udp_connect udp_disconnect udp_init \
	udp_new_ip_type udp_recv udp_remove udp_sendto_if_src
LWIP_CPPFLAGS := -Ikernel/net/inet/port -isystem $(LWIP)/src/include
ifneq ($(filter kernel/net/inet/%,$(KERNEL_SRCS)),)
LWIP_OBJS := $(O)/lwip/lwip.o
endif
$(LWIP_STAMP):
	kernel/net/inet/lwip-source >/dev/null
$(O)/kernel/net/inet/%.c.o: KERNEL_CPPFLAGS += $(LWIP_CPPFLAGS)
$(filter $(O)/kernel/net/inet/%,$(KERNEL_OBJS)): kernel/net/inet/port/lwipopts.h kernel/net/inet/port/arch/cc.h | $(LWIP_STAMP)
$(LWIP_FILES:%=$(O)/lwip/%.o): $(O)/lwip/%.o: kernel/net/inet/port/lwipopts.h kernel/net/inet/port/arch/cc.h kernel.mk \
	$(LWIP_STAMP) $(NEWLIB_STAMP)
	@mkdir -p $(@D)
	$(call say,CC,lwip/$*.c)
	$(CC) $(LWIP_CPPFLAGS) $(KERNEL_CPPFLAGS) $(KERNEL_CFLAGS) -Os -fno-sanitize=all -ffunction-sections -fdata-sections -w \
		-c $(LWIP)/src/$*.c -o $@
$(O)/lwip/lwip.o: $(LWIP_FILES:%=$(O)/lwip/%.o)
	$(LD) -r --gc-sections $(LWIP_CALLS:%=-u %) -o $@ $^

# The makefile is a source too: it has the flags.
# Every path runs through the checkers; they are not the subject of the checks.
ifneq ($(DEBUG),1)
# No path that is measured runs through these, and each machine loads the image.
$(addprefix $(O)/,drivers/%.c.o kernel/fs/9p/%.c.o kernel/fs/proc/%.c.o kernel/fs/sys/%.c.o kernel/trace/histogram%.c.o \
	kernel/trace/format.c.o kernel/trace/tracefs.c.o kernel/trace/event_files.c.o kernel/trace/trigger.c.o \
	kernel/trace/print.c.o kernel/log/%.c.o boot/%.c.o arch/x86_64/devices/%.c.o kernel/tty/%.c.o kernel/net/inet/%.c.o \
	$(addprefix arch/x86_64/,acpi.c.o cpuinfo.c.o features.c.o io_apic.c.o mp_table.c.o msi.c.o paging.c.o power.c.o \
	ptrace.c.o topology.c.o) \
	$(addprefix kernel/fs/,archive_links.c.o attribute_calls.c.o entry_calls.c.o epoll_nesting.c.o file_lock.c.o inotify%.c.o \
	kmsg.c.o entry.c.o memfd.c.o mount%.c.o signalfd.c.o space_calls.c.o \
	syslog.c.o tmpfs.c.o tmpfs_sizes.c.o tmpfs_space.c.o tmpfs_through.c.o xattr%.c.o) \
	$(addprefix kernel/task/,capability_calls.c.o identity_calls.c.o job_control.c.o oom.c.o pidfd.c.o priority_calls.c.o \
	process_vm.c.o ptrace%.c.o sched_calls.c.o system_names.c.o unshare.c.o usage.c.o wall_clock_calls.c.o) \
	$(addprefix kernel/net/,socket_options.c.o unix_address.c.o unix_connect.c.o unix_flight.c.o unix_packet.c.o) \
	$(addprefix kernel/perf/,event_source.c.o first_abi.c.o settings.c.o sysctl.c.o) \
	$(addprefix kernel/trace/,filter.c.o instance.c.o number.c.o target.c.o)): \
	KERNEL_CFLAGS += -Os
endif
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
# matter are arch/x86_64/string.S there. GCC must not turn a loop of theirs into a call of itself.
NEWLIB_STRING_DIR := $(NEWLIB)/src/newlib/libc/string
$(KERNEL_LIB_OBJS): $(O)/newlib/%.o: $(NEWLIB_STAMP)
	@mkdir -p $(@D)
	$(call say,CC,newlib/$*.c)
	$(CC) $(KERNEL_CPPFLAGS) -I$(NEWLIB_STRING_DIR) $(KERNEL_CFLAGS) -O2 -fno-sanitize=all -fno-stack-protector -w \
		-fno-tree-loop-distribute-patterns -c $(NEWLIB_STRING_DIR)/$*.c -o $@

$(KERNEL_OBJS): | $(NEWLIB_STAMP)

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

$(KERNEL_LDS): linker.ld $(wildcard arch/$(ARCH)/include/machine/link.h arch/$(ARCH)/include/machine/mmu.h) kernel.mk
	@mkdir -p $(@D)
	$(call say,CPP,$<)
	$(CC) -E -P -x c -D__ASSEMBLER__ -Iarch/$(ARCH)/include $< -o $@

# whole.o is every object as one. A second link of it adds the names for backtraces, see boot/symbols.awk.
# tally.o is the whole kernel with its table of symbols as one object: linked by linker.ld alone it is tally.elf,
# and together with an object that has a section .initramfs it is a unikernel.
$(O)/kernel/whole.o: $(KERNEL_OBJS) $(KERNEL_LIB_OBJS) $(LWIP_OBJS) kernel.mk
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(CC) $(KERNEL_CFLAGS) $(KERNEL_LTO) -r $(if $(KERNEL_LTO),-flinker-output=nolto-rel) -o $@ $(KERNEL_OBJS) $(KERNEL_LIB_OBJS) \
		$(LWIP_OBJS)

$(O)/kernel/unnamed.elf: $(O)/kernel/whole.o $(KERNEL_LDS)
	$(LD) $(KERNEL_LDFLAGS) -T $(KERNEL_LDS) -o $@ $<

$(O)/kernel/symbols.S: $(O)/kernel/unnamed.elf boot/symbols.awk
	$(NM) -n $< | LC_ALL=C awk -f boot/symbols.awk >$@

$(O)/kernel/symbols.o: $(O)/kernel/symbols.S
	$(CC) -c $< -o $@

$(O)/tally.o: $(O)/kernel/whole.o $(O)/kernel/symbols.o
	$(LD) -r -o $@ $^

$(O)/tally.elf: $(O)/tally.o $(KERNEL_LDS)
	$(call say,LD,$@)
	$(LD) $(KERNEL_LDFLAGS) -T $(KERNEL_LDS) -o $@ $<
