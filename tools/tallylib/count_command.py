# SPDX-License-Identifier: BSD-2-Clause
"""`tally count` from its words to its status: the conditions, one run in the machine, the comparison.

count.py has the events, the record and its forms; functions.py those by function.
"""

import contextlib
import os
import shutil
import sys
import tempfile

from . import bring, count, initramfs, limits, packing, processor, start
from .failure import USAGE, Failure


def _run_in_machine(options, free, events, files, table=None):
    """Runs the program and returns the guest's result. TABLE: of the functions by which the emulator counts."""
    options.pmu, options.icount = "emulated", "time" not in free
    folder = initramfs.working_folder()
    program, *words = packing.words_of(options)
    bringer = bring.Bringer((), "/", count.RESULT)
    listed = {}
    blob = initramfs.pack_program(
        program, words, count.environment(free, options.env), root=options.root, check=not options.no_check,
        added=options.add if options.root else options.add + packing.programs_among(words), brought=bringer.paths,
        folder=folder if "place" in free else count.FOLDER, moved=None if "place" in free else folder, files=files, listed=listed,
        starter=count.words(events, free, count.INPUT in files, options.control, options.region_requests))
    if table:
        table.add_files(listed)
        table.save(options.function_table)
    platform = start.tally()
    if count.INPUT in files:
        platform = start.Platform(platform.kernel, start.join(start.AS_PIPES, start.NO_INPUT), has_input=False)
    if "random" not in free:
        platform.words = start.join(platform.words, count.RANDOM_WORD)
    if count.INPUT not in files:
        start.run_blob(options, platform, blob, devices=bringer.words())
        return bringer.deliver()
    # The guest waits for a reader that is slower than the line. No reader of a file is.
    with tempfile.TemporaryFile() as console:
        try:
            with start.output_to(console):
                start.run_blob(options, platform, blob, devices=bringer.words())
        finally:
            console.seek(0)
            with open(1, "wb", closefd=False) as output, contextlib.suppress(BrokenPipeError):
                shutil.copyfileobj(console, output)
    return bringer.deliver()


def _show(options, before, killer, found, by_function):
    """Prints and saves the counts, and returns the status: the program's, or whether a count has grown."""
    if by_function:
        found.update(by_function.json())
    changes = None if before is None else count.compare(before["counts"], found["counts"])
    text = count.write(found, before, changes, options.format, by_function)
    if options.output is None:
        sys.stderr.write(text)
    else:
        count.save(options.output, text)
    if options.save:
        count.save(options.save, count.write(found, None, None, "json", None))
    if killer:
        print(count.killed(killer), file=sys.stderr)
    if found["status"]:
        return found["status"]
    grown = []
    for change in changes or ():
        percent = limits.percent_for(options.limit, change.name, change.column)
        if change.grew_beyond(percent):
            grown.append((change, percent))
    if grown:
        percents = {percent for _, percent in grown}
        beyond = f"{float(grown[0][1]):g} %" if len(percents) == 1 else "their limits"
        raise Failure(count.GREW, f"{'1 count has' if len(grown) == 1 else f'{len(grown)} counts have'} grown by more than "
                                  f"{beyond}: {grown[0][0].line()}")
    return 0


def run(options):
    """The status of `tally count`."""
    count.refuse(options)
    words = packing.words_of(options)
    if not words:
        raise Failure(USAGE, "count needs a PROGRAM; see: tally count --help")
    free = set(options.free)
    before = count.load(options.compare) if options.compare is not None else None
    data = b"" if "input" in free else count.read_input()
    events = count.events_for(options.processor or processor.DEFAULT, options.pmu_counters, options.pmu_version, options.caches)
    limits.check(options.limit, [(event.name, event.column) for event in events])
    files = {count.COUNTER: count.counter()}
    if "input" not in free:
        files[count.INPUT] = data
    conditions = {}
    if before is not None or options.save:
        conditions = count.conditions(options, data, start.kernel_of(options))
    if before is not None:
        count.check_baseline(options.compare, before, os.path.basename(words[0]), words[1:], conditions)
    by_function = None
    if options.functions or options.format == "callgrind":
        # Nothing else reads symbols.
        from . import functions
        with tempfile.TemporaryDirectory(prefix="tally-") as place:
            table = functions.Table(start.kernel_of(options))
            options.function_table = os.path.join(place, "functions")
            result = _run_in_machine(options, free, events, files, table)
            by_function = table.read(options.function_table + ".counts")
    else:
        result = _run_in_machine(options, free, events, files)
    counts, status, killer = count.parse(result, events, words[0])
    return _show(options, before, killer,
                 count.record(os.path.basename(words[0]), words[1:], conditions, counts, status), by_function)
