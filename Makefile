# Tally. `make run` is the main job, `make check` runs every test; see README.md.
#
# O=DIR      build folder (default: build)
# DEBUG=1    debug build: -Og, assertions of locking rules, UBSan traps

O ?= build
CC ?= gcc
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all

NEWLIB := $(shell userland/libc/build --path 2>/dev/null)

include kernel.mk
-include userland/userland.mk
-include tests/tests.mk

.PHONY: all run qemu clean bench-qemu lint check

all: $(O)/tally.elf

# The main job: report, exact counts, profile.
run:
	@tools/tally report

qemu:
	@qemu/build

bench-qemu:
	@qemu/bench

lint:
	@tools/lint

clean:
	rm -rf $(O)
