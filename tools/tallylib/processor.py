# SPDX-License-Identifier: BSD-2-Clause
"""The x86-64 CPUs that can be emulated: --processor NAME.

Each is a PMU of qemu/README.md and a CPU model whose vendor, family and model number software expects
with that PMU. Every model is `max`, so that TCG lacks none of its features. Some have caches, TLBs and branch prediction
that their PMU counts, unless --caches says otherwise (caches.py).
"""

from .failure import USAGE, Failure
from .record import record

DEFAULT = "generic"
# What --pmu-NAME sets: the property of the emulated CPU, and its meaning.
PMU_PROPERTIES = {
    "counters": ("x-pmu-counters", "general counters"),
    "width": ("x-pmu-width", "bits of each counter"),
    "version": ("x-pmu-version", "version of architectural performance monitoring"),
    "skid": ("x-pmu-skid", "instructions from an overflow to its interrupt"),
}


@record
class Processor:
    """QEMU's words for the model and its PMU, the range of each --pmu-NAME that the PMU takes, the vendor, and the preset of its
    caches."""

    model: str
    pmu: str
    ranges: dict
    vendor: str = "Intel"
    preset: str | None = None

    def properties(self, chosen, name):
        """QEMU's words for the PMU with the CHOSEN {property: value}; NAME is what --processor calls the CPU, or None:
        then the ranges are not checked."""
        for key, value in chosen.items() if name else ():
            if key not in self.ranges:
                raise Failure(USAGE, f"--processor {name} has no --pmu-{key}; leave it out")
            low, high = self.ranges[key]
            if not low <= value <= high:
                raise Failure(USAGE, f"--pmu-{key} {value}: --processor {name} takes {low} to {high}")
        return [self.pmu, *(f"{PMU_PROPERTIES[key][0]}={value}" for key, value in chosen.items())]


def _amd(family, model, generation, preset=None, **ranges):
    return Processor(f"max,vendor=AuthenticAMD,family={family},model={model},stepping=1",
                     f"pmu=on,x-pmu-amd={generation}", {**_SKID, **ranges}, "AMD", preset)


_SKID = {"skid": (0, 1000000)}
PROCESSORS = {
    DEFAULT: Processor("max,vendor=GenuineIntel", "pmu=on",
                       {"counters": (1, 8), "width": (32, 48), "version": (1, 5), **_SKID}),
    # Core i7-6700: eight counters, because threads do not share a core here.
    "skylake": Processor("max,vendor=GenuineIntel,family=6,model=94,stepping=3", "pmu=on,x-pmu-version=4,x-pmu-counters=8",
                         {"counters": (1, 8), **_SKID}, preset="skylake"),
    # Opteron 248, EPYC 7003, EPYC 9004. CPUID has four bits for the number of counters.
    "k8": _amd(15, 5, "k8"),
    "zen3": _amd(25, 1, "core", "zen3"),
    "zen4": _amd(25, 17, "v2", "zen4", counters=(4, 15)),
}


def range_of(key):
    """The least and the greatest value of --pmu-KEY that some CPU takes."""
    ranges = [one.ranges[key] for one in PROCESSORS.values() if key in one.ranges]
    return min(low for low, _ in ranges), max(high for _, high in ranges)
