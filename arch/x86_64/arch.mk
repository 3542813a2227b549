# SPDX-License-Identifier: BSD-2-Clause
# x86-64's part of kernel.mk: flags, and the vDSO.

KERNEL_CFLAGS += -mcmodel=kernel -mno-red-zone -mgeneral-regs-only -fcf-protection=none
ifeq ($(DEBUG),1)
KERNEL_CFLAGS += -fstack-protector-strong -mstack-protector-guard=global
endif
KERNEL_LDFLAGS += -z max-page-size=0x1000

# The shared object that the kernel contains and maps into every program.
VDSO := $(O)/$(VDSO_DIR)/vdso.so
VDSO_CFLAGS := -std=gnu11 -ffreestanding -nostdlib -shared -fPIC -O2 -Wall -Wextra -Werror -Wno-unused-parameter \
	-mgeneral-regs-only -fno-stack-protector -fcf-protection=none -fno-jump-tables -fasynchronous-unwind-tables
VDSO_LDFLAGS := -Wl,-soname=linux-vdso.so.1,--hash-style=both,--build-id=none,--eh-frame-hdr,-Bsymbolic,-s \
	-Wl,-z,max-page-size=4096,-z,noexecstack,-z,norelro

$(VDSO): $(VDSO_DIR)/vdso.c $(VDSO_DIR)/vdso.lds include/kernel/task/vdso.h include/uapi/linux/time.h kernel.mk | $(NEWLIB_STAMP)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(CC) -Iinclude -nostdinc -isystem $(shell $(CC) -print-file-name=include) -isystem $(NEWLIB)/include \
		$(VDSO_CFLAGS) $(VDSO_LDFLAGS) -Wl,-T,$(VDSO_DIR)/vdso.lds $< -o $@

$(O)/arch/x86_64/vdso_object.S.o: KERNEL_CPPFLAGS += -DVDSO_OBJECT='"$(VDSO)"'
$(O)/arch/x86_64/vdso_object.S.o: $(VDSO)
