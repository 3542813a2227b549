# Tally. `make run` is the main job, `make check` runs every test; see README.md. `make help` lists the targets: it prints
# the lines that begin with "#: ", which stand beside the rules.
#
# ARCH=NAME  the machine's architecture: x86_64 (default) or alpha; without it, `make check` tests both
# O=DIR      build folder (default: build, with DEBUG=1 build/debug; below build/alpha with ARCH=alpha)
# DEBUG=1    debug kernel: -O1; checks freed memory, undefined behaviour, stacks, and the order of locks
# WITHOUT="net inet trace pty perfctr"   leaves parts of the kernel out: any of these
# PROCESSOR=NAME  what `make run` emulates on x86_64: generic (default), skylake, k8, zen3 or zen4
# OBJECTS=DIR  links the objects of the build folder DIR into another kernel in O; with WITHOUT
# V=1        show the commands

ARCH ?= x86_64
ifeq ($(filter x86_64 alpha,$(ARCH)),)
$(error ARCH=$(ARCH): no such architecture; give x86_64 or alpha)
endif
O ?= build$(if $(filter alpha,$(ARCH)),/alpha)$(if $(filter 1,$(DEBUG)),/debug)
# The tools are the build host's own for its own architecture. alpha: Debian's gcc-alpha-linux-gnu.
CROSS := $(if $(filter alpha,$(ARCH)),alpha-linux-gnu-)
ifeq ($(origin CC),default)
CC := $(CROSS)gcc
endif
ifeq ($(origin LD),default)
LD := $(CROSS)ld
endif
NM := $(CROSS)nm
MAKEFLAGS += --no-builtin-rules
ifneq ($(V),1)
MAKEFLAGS += --silent
endif
# The line that a recipe prints instead of its command: $(call say,CC,file).
say = @printf '  %-4s %s\n' $(1) $(2)

.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all

# Where newlib is, or will be once its library (the stamp) is built; outside the clone, keyed by content.
NEWLIB_BUILD := userland/libc/build --arch $(ARCH)
NEWLIB := $(shell $(NEWLIB_BUILD) --path 2>/dev/null)
NEWLIB_STAMP := $(NEWLIB)/lib/libc.a

include kernel.mk
include userland/userland.mk
include tests/tests.mk

# QEMU's makefiles want make's own rules, which are not for ours.
QEMU_BUILD := MAKEFLAGS= qemu/build

.PHONY: lines all run qemu clean deb oci bench-host bench-qemu bench-model lint drawings tags help

#: all              builds the kernel and the user programs (the default)
all: $(O)/tally.elf user $(if $(filter x86_64,$(ARCH)),$(O)/tools/kvm-init)

#: run              boots the report: CPU, PMU, exact counts, a profile; PROCESSOR=k8|zen3|zen4 on AMD's PMU
run: all
	@$(QEMU_BUILD) --arch $(ARCH) >/dev/null
	@tools/tally report --arch $(ARCH) $(if $(PROCESSOR),--processor $(PROCESSOR))

# The only program of the Linux of `tools/tally --under kvm`.
$(O)/tools/kvm-init: tools/kvm/init.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(CC) -O2 -g -Wall -Wextra -Werror -static $< -o $@

$(NEWLIB_STAMP):
	@$(NEWLIB_BUILD) > /dev/null

#: qemu             builds the emulator with its PMUs, once, into ~/.cache/tally
qemu:
	@$(QEMU_BUILD)

#: deb              builds Debian packages into build/deb: tally and tally-qemu
deb: all alpha
	@$(QEMU_BUILD) >/dev/null
	@tools/debian/build $(O)/deb

#: oci              builds an image for containers into build/oci, from the packages and Debian's (root)
oci: deb
	@tools/deps tools/debian/packages tools/debian/packages.oci
	@tools/oci $(O)/oci $(O)/deb/*.deb

#: bench-host       compares the host's CPU time of three programs with Valgrind's tools
bench-host: all
	@$(QEMU_BUILD) >/dev/null
	@tools/deps tests/packages
	@tests/bench/host

#: bench-qemu       measures the cost of the emulated PMUs
bench-qemu:
	@MAKEFLAGS= qemu/bench

#: bench-model      compares the cost of the model of caches and branches with Cachegrind's
bench-model:
	@MAKEFLAGS= qemu/bench-model

#: lint             checks layout, words, Python, and runs cppcheck and clang-tidy
lint:
	@tools/lint

#: lines            counts the kernel's lines by layers
lines:
	@tools/lines

#: drawings         renders docs/drawings/*.dot to SVG, with Graphviz
drawings:
	@tools/drawings

#: tags             sets a Git tag for each version, at the commit that its heading in CHANGELOG.md names
tags:
	@sed -n 's/^## \(v[0-9.]*\), .*, \([0-9a-f]*\))$$/\1 \2/p' CHANGELOG.md | while read -r version commit; do \
		git tag --force "$$version" "$$commit" || exit; done

#: clean            removes the build folder
clean:
	rm -rf $(O)

#: help             prints this list
help:
	@sed -n 's/^#: /  /p' Makefile $(wildcard *.mk userland/*.mk tests/*.mk tests/*/*.mk)
	@printf '\nVariables:\n'
	@sed -n '/^# ARCH=/,/^$$/s/^# /  /p' Makefile
