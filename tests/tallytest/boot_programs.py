# SPDX-License-Identifier: BSD-2-Clause
"""Programs of tests/boot that some test runs in a way of its own, and so others need not: which, and why."""

# Programs about time: icount.t runs them, where time is virtual.
BY_ICOUNT = ("fairness", "spreading", "floods", "idle", "scheduling_times")
# Programs that ask for long work: irqs-off.t runs them on the debug kernel on one CPU, where they have to pass as well.
BY_IRQS_OFF = ("hogs", "floods", "bombs", "leak", "sockets", "tidy")
# Programs that need a part that a kernel can be WITHOUT, and which.
NEEDS_PART = {"bombs": "net", "internet": "inet", "perfctr": "perfctr", "perfctr_sharing": "perfctr", "sockets": "net", "tidy": "net",
              "tracepoints": "trace"}
# Programs that use none of these parts. smallest.t runs them on so many CPUs, and the whole kernel need not run them on as many.
BY_SMALLEST = {"breakpoints", "clones", "execution", "families", "handlers", "hogs", "hostile", "hotplug", "inheritance", "mappings",
               "processes", "processors", "registers", "scheduling", "storm", "timers", "watches"}
SMALLEST_CPUS = 2
# debug.t runs all programs on so many, and the release kernel need not run those of one shape on as many.
DEBUG_CPUS = 4
# Programs whose tasks attack, or are spread, at one moment: on the only CPU they come one after the other, and the rules say less.
SEVERAL_CPUS = {"execution", "scheduling"}
