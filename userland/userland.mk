# User programs: every folder below userland/programs/ is one, and every C file in tests/boot/. All are static
# executables of newlib, linked with libperf and libspin, with their symbols: $(O)/user/bin/NAME.
#
# Some of those in tests/boot are not built for other ISAs (USER_X86_64): tests/boot/x86_64/programs says why.
#
# `make user-libraries` builds some of the same sources, unchanged, with the GNU C library and with musl into
# $(O)/user/glibc/ and $(O)/user/musl/, for tests/boot/c-libraries.t: Tally promises to run what they make.

USER_X86_64 := $(shell sed -n 's/^\([a-z_]\+\).*/\1/p' tests/boot/x86_64/programs)
USER_OTHERS := $(if $(filter-out x86_64,$(ARCH)),$(USER_X86_64))

USER_PROGRAMS := $(filter-out $(USER_OTHERS),$(sort $(notdir $(patsubst %/,%,$(dir $(wildcard userland/programs/*/*.c))))))
USER_TESTS := $(filter-out $(USER_OTHERS),$(basename $(notdir $(wildcard tests/boot/*.c))))
$(if $(filter $(USER_PROGRAMS),$(USER_TESTS)),$(error tests/boot has a program of the same name as \
	userland/programs: $(filter $(USER_PROGRAMS),$(USER_TESTS))))
USER_PORTABLE := $(USER_PROGRAMS) libc paths self
USER_LIB_SRCS := $(wildcard userland/libperf/*.c userland/libperfctr/*.c userland/libspin/*.c userland/libspin/$(ARCH)/*.[cS])

USER_CPPFLAGS := -Iuserland/libperf -Iuserland/libperfctr -Iuserland/libspin -idirafter include/uapi -D_GNU_SOURCE -MMD -MP
# The same bytes wherever the clone is.
USER_DEBUG := -g -fdebug-prefix-map=$(CURDIR)=.
USER_CFLAGS := -std=gnu11 -O2 $(USER_DEBUG) -fno-pie -Wall -Wextra -Werror $(if $(filter x86_64,$(ARCH)),-fcf-protection=none)
USER_CC = $(CC) -specs=$(NEWLIB)/lib/tally.specs

# The sources of program $(1), wherever it is; what only one ISA has of it is in a folder below.
user_sources = $(wildcard userland/programs/$(1)/*.c userland/programs/$(1)/*.S userland/programs/$(1)/$(ARCH)/*.[cS] tests/boot/$(1).c)

# One set of rules for each C library: $(1) the folder of objects, $(2) of programs, $(3) the compiler,
# $(4) what has to be there first, $(5) libraries to name.
define user_rules
$(O)/user/$(1)/%.c.o: %.c $(4) userland/userland.mk
	@mkdir -p $$(@D)
	$$(call say,CC,$$<)
	$(3) $$(USER_CPPFLAGS) $$(USER_CFLAGS) -c $$< -o $$@

$(O)/user/$(1)/%.S.o: %.S $(4) userland/userland.mk
	@mkdir -p $$(@D)
	$$(call say,AS,$$<)
	$(3) $$(USER_CPPFLAGS) $$(USER_DEBUG) -c $$< -o $$@

$(O)/user/$(1)/libuser.a: $$(USER_LIB_SRCS:%=$(O)/user/$(1)/%.o)
	@rm -f $$@
	$(CROSS)ar -rcs $$@ $$^

$(foreach program,$(USER_PROGRAMS) $(USER_TESTS),
$(O)/user/$(2)/$(program): $(patsubst %,$(O)/user/$(1)/%.o,$(call user_sources,$(program))) $(O)/user/$(1)/libuser.a
	@mkdir -p $$(@D)
	$$(call say,LD,$$@)
	$(3) -static -no-pie -o $$@ $$^ $(5)
)

-include $$(wildcard $(O)/user/$(1)/*/*/*.d $(O)/user/$(1)/*/*/*/*.d)
endef

# Which newlib the programs were built with: changes only when that does, and everything is then built anew.
# NEWLIB_STAMP alone would not do it: under .SECONDARY a missing file makes nothing out of date.
$(O)/user/newlib: user-newlib
	@mkdir -p $(@D)
	@$(NEWLIB_BUILD) > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

.PHONY: user user-libraries user-newlib
#: user             builds the user programs
#: user-libraries   builds some of them with the GNU C library and with musl
user-newlib:
user: $(USER_PROGRAMS:%=$(O)/user/bin/%) $(USER_TESTS:%=$(O)/user/bin/%)
user-libraries: $(USER_PORTABLE:%=$(O)/user/glibc/%) $(USER_PORTABLE:%=$(O)/user/musl/%)

$(eval $(call user_rules,obj,bin,$$(USER_CC),$(O)/user/newlib,))
$(eval $(call user_rules,obj-glibc,glibc,$(CC),,-lm))
$(eval $(call user_rules,obj-musl,musl,musl-gcc,,))
