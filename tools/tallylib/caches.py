# SPDX-License-Identifier: BSD-2-Clause
"""--caches: the caches, TLBs and branch prediction of the emulated CPU, as properties of it.

The value is `none`, a preset's name, a geometry, or a preset's name, a comma and a geometry. A geometry is
NAME=SIZE,WAYS,LINE of each cache that replaces the preset's, with the names I1, D1, L2 and LL, and sizes in bytes; L2=0
and LL=0 take that cache away. A geometry alone is one of Cachegrind's. docs/model.md describes the presets.
"""

from .failure import USAGE, Failure
from .record import record

NONE = "none"
# The preset of a geometry alone: that of the tool whose options have the same words.
CACHEGRIND = "cachegrind"
# The vendor that a preset is for; None: any.
PRESETS = {"skylake": "Intel", "zen3": "AMD", "zen4": "AMD", CACHEGRIND: None}
# The caches, by the emulator's names for them.
NAMES = ("I1", "D1", "L2", "LL")
REMOVABLE = ("L2", "LL")
ABSENT = {CACHEGRIND: ("L2",)}
FORM = "[PRESET,]I1=SIZE,WAYS,LINE,D1=...,LL=..."
WAYS_MAX = 32
LINE_MIN, LINE_MAX = 16, 256
# The line of every preset.
LINE = 64
SIZE_MAX = 1 << 30


@record
class Caches:
    """One --caches. preset: None with `none` only; geometry: the emulator's words for it, or None."""

    text: str
    preset: str | None = None
    geometry: str | None = None

    def properties(self, vendor):
        """QEMU's words for a CPU of VENDOR, which is None if it is not known."""
        if self.preset is None:
            return []
        wanted = PRESETS[self.preset]
        if wanted and vendor and wanted != vendor:
            article = "an" if wanted[0] in "AI" else "a"
            raise Failure(USAGE, f"--caches {self.text} is {article} {wanted} CPU's, and --processor is {vendor}'s; "
                                 f"take cachegrind, or give a geometry alone")
        return [f"x-pmu-model={self.preset}", *([f"x-pmu-caches={self.geometry}"] if self.geometry else [])]


def _is_power_of_two(number):
    return number > 0 and not number & (number - 1)


def _wrong(text, reason):
    return Failure(USAGE, f"--caches {text}: {reason}")


def _check(text, name, size, ways, line):
    """Refuses a cache that cannot be."""
    if not _is_power_of_two(line) or not LINE_MIN <= line <= LINE_MAX:
        raise _wrong(text, f"{name} has lines of {line} bytes; a power of two from {LINE_MIN} to {LINE_MAX} is needed")
    if not 1 <= ways <= WAYS_MAX:
        raise _wrong(text, f"{name} has {ways} ways; 1 to {WAYS_MAX} are possible")
    sets, rest = divmod(size, ways * line)
    if size > SIZE_MAX or rest or not _is_power_of_two(sets):
        raise _wrong(text, f"{name} of {size} bytes is not {ways} ways of a power of two of lines of {line} bytes, as "
                           f"{ways * line}, {ways * line * 2} and so on are, up to 1 GiB")


def _split(text, words):
    """{name: [numbers]} of a geometry, the WORDS of TEXT."""
    found, name = {}, None
    for word in words:
        if "=" in word:
            name, _, word = word.partition("=")
            if name not in NAMES:
                raise _wrong(text, f"there is no cache {name!r}; there are {', '.join(NAMES)}")
            if name in found:
                raise _wrong(text, f"{name} is there twice")
            found[name] = []
        if name is None:
            raise _wrong(text, f"{word!r} is neither {', '.join([NONE, *PRESETS])} nor a geometry, {FORM}")
        if word in (NONE, *PRESETS):
            raise _wrong(text, f"{word} stands alone" if word == NONE else f"{word} stands first, before the geometry")
        if not (word.isascii() and word.isdecimal()):
            raise _wrong(text, f"{word!r} is no number of bytes or ways")
        found[name].append(int(word))
    return found


def parse(text):
    """The Caches that the option's value describes."""
    if text == NONE:
        return Caches(text)
    first, _, rest = text.partition(",")
    preset = first if first in PRESETS else None
    if preset and not rest:
        if text != preset:
            raise _wrong(text, f"no geometry stands after the comma: {FORM}")
        return Caches(text, preset)
    if first == NONE:
        raise _wrong(text, f"{NONE} stands alone")
    words, lines = [], set()
    found = _split(text, (rest if preset else text).split(","))
    for name, numbers in found.items():
        if numbers == [0] and name in REMOVABLE:
            words.append(f"{name}=0")
            continue
        if len(numbers) != 3:
            raise _wrong(text, f"{name} needs three numbers: {name}=SIZE,WAYS,LINE")
        _check(text, name, *numbers)
        lines.add(numbers[2])
        words.append(f"{name}={':'.join(map(str, numbers))}")
    base = preset or CACHEGRIND
    kept = set(NAMES) - set(found) - set(ABSENT.get(base, ()))
    if len(lines | ({LINE} if kept else set())) > 1:
        raise _wrong(text, f"all caches have lines of one size; those that are not named have {LINE} bytes")
    return Caches(text, base, "+".join(words))
