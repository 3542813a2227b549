# SPDX-License-Identifier: BSD-2-Clause
"""By how much the counts of `tally count --compare` may grow: the values of --limit, [WHAT=]PERCENT.

WHAT is a row of the table, a column, or ROW/COLUMN; docs/counting.md has the order in which limits decide. Without any limit each
count has 0.
"""

from .failure import USAGE, Failure
from .record import record

PERCENT_MAX = 1000000
COLUMNS = ("user", "kernel", "all")
FORM = "[WHAT=]PERCENT"


@record
class Limit:
    """The row and the column that it is for, None for all, and its percentage, a fractions.Fraction."""

    row: str | None
    column: str | None
    percent: object

    def suits(self, row, column):
        return self.row in (None, row) and self.column in (None, column)

    def exactness(self):
        return (self.row is not None) + (self.column is not None)

    def what(self):
        return "/".join(part for part in (self.row, self.column) if part)


def parse(text):
    """The Limit of one --limit. Raises ValueError with a sentence."""
    # Other options are without one.
    import fractions
    what, equals, number = text.rpartition("=")
    try:
        percent = fractions.Fraction(number)
    except (ValueError, ZeroDivisionError):
        percent = -1
    if not 0 <= percent <= PERCENT_MAX or "/" in number:
        raise ValueError(f"{number!r} is no percentage: give [WHAT=]PERCENT, PERCENT from 0 to {PERCENT_MAX}")
    row, slash, column = what.partition("/")
    if row in COLUMNS and not slash:
        row, column = None, row
    if equals and (not (row or column) or (slash and (not row or column not in COLUMNS))):
        raise ValueError(f"{what!r} is no row, column or ROW/COLUMN of the table: columns are {', '.join(COLUMNS)}")
    return Limit(row or None, column or None, percent)


def check(limits, counted):
    """Raises Failure(USAGE) for a limit of a count that is not in COUNTED, the (row, column) of each."""
    for limit in limits:
        if not any(limit.suits(row, column) for row, column in counted):
            raise Failure(USAGE, f"--limit {limit.what()}: there is no such count here; there are: "
                                 f"{', '.join(f'{row}/{column}' for row, column in counted)}")


def percent_for(limits, row, column):
    """By how many percent this count may grow; None: by any number."""
    suitable = [limit for limit in limits if limit.suits(row, column)]
    if not suitable:
        return None if limits else 0
    most = max(limit.exactness() for limit in suitable)
    return min(limit.percent for limit in suitable if limit.exactness() == most)
