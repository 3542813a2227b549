# SPDX-License-Identifier: BSD-2-Clause
"""The report of userland/programs/report: from the text of a console to results, and from those to a format.

A console carries other lines as well: a boot loader's, the kernel's log, terminal codes, carriage returns. A report
begins with _BEGIN and ends with _END; of several in one text the last counts.
"""

import json
import re

from dataclasses import dataclass, field

from .failure import Failure

# Exit statuses of `tally report`.
BROKEN, NO_REPORT = 1, 2
# The bytes of a console's text that are read. A report has some 50 KB.
CONSOLE_MAX = 16 << 20

_BEGIN = "# Tally PMU report, format 1"
_END = re.compile(r"# report: ([0-9]{1,6}) rules: [0-9]+ ok, [0-9]+ not ok, [0-9]+ inexact, [0-9]+ skipped$")
# Codes of a terminal, and control characters, most of which XML cannot have.
_TERMINAL_CODE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|[\0-\x1f\x7f-\x9f\ufffe\uffff]")
_PLAN = re.compile(r"1\.\.([0-9]{1,6})$")
_RESULT = re.compile(r"(not ok|ok) ([0-9]{1,6}) - ([a-z_]+\.[a-z0-9_]+)(?: # (SKIP|TODO inexact:) (.*))?$")
_VERDICT = "# Counts are usable for"


@dataclass
class Rule:
    """One rule's result. `outcome`: ok, not ok, inexact or skip; `detail`: expected and got, or the reason."""

    name: str
    outcome: str
    detail: str = ""
    breaks: str = ""
    manual: str = ""


@dataclass
class Report:
    """A whole report. `machine` and `verdict` are lines without their "# "."""

    machine: list = field(default_factory=list)
    rules: list = field(default_factory=list)
    verdict: list = field(default_factory=list)

    def of(self, outcome):
        return [rule for rule in self.rules if rule.outcome == outcome]

    @property
    def status(self):
        return BROKEN if self.of("not ok") else 0

    def summary(self):
        return (f"{len(self.rules)} rules: {len(self.of('ok'))} ok, {len(self.of('not ok'))} not ok, "
                f"{len(self.of('inexact'))} inexact, {len(self.of('skip'))} skipped")


def _rule(match, before, source):
    verb, number, name, mark, detail = match.groups()
    if int(number) != before + 1:
        raise Failure(NO_REPORT, f"{source}: lines of the report are lost: rule {before + 1} is followed by {number}")
    outcome = {"SKIP": "skip", "TODO inexact:": "inexact"}.get(mark, verb)
    return Rule(name, outcome, detail or "")


def _comment(report, line, planned):
    last = report.rules[-1] if report.rules else None
    if planned is None:
        report.machine.append(line)
    elif report.verdict or line == _VERDICT[2:]:
        report.verdict.append(line)
    elif last and line.startswith("breaks: "):
        last.breaks = line[len("breaks: "):]
    elif last and line.startswith("manual: "):
        last.manual = line[len("manual: "):]
    elif last and last.outcome == "not ok" and not last.detail:
        last.detail = line


def parse(text, source):
    """The last Report in TEXT. Raises Failure(NO_REPORT), with a line that begins with SOURCE, if there is none, or it is
    cut off."""
    lines = [_TERMINAL_CODE.sub("", line).rstrip() for line in text.split("\n")]
    begins = [number for number, line in enumerate(lines) if line.endswith(_BEGIN)]
    if not begins:
        raise Failure(NO_REPORT, f"{source}: no report of Tally is in it; the line {_BEGIN[2:]!r} is missing")
    report, planned, ended = Report(), None, None
    for line in lines[begins[-1] + 1:]:
        if ended := _END.match(line):
            break
        if match := _PLAN.match(line):
            planned = int(match[1])
        elif match := _RESULT.match(line):
            report.rules.append(_rule(match, len(report.rules), source))
        elif line.startswith("# "):
            _comment(report, line[2:], planned)
    if ended is None:
        raise Failure(NO_REPORT, f"{source}: the report is cut off after {len(report.rules)} of "
                                 f"{planned if planned is not None else 'an unknown number of'} rules")
    if planned is None:
        raise Failure(NO_REPORT, f"{source}: lines of the report are lost: the number of rules is missing")
    if not len(report.rules) == planned == int(ended[1]) or report.summary() != ended[0][len("# report: "):]:
        raise Failure(NO_REPORT, f"{source}: lines of the report are lost: {planned} rules are announced, "
                                 f"{len(report.rules)} are there")
    return report


def _text(report):
    lines = [*report.machine, f"Rules      {report.summary()}"]
    for rule in report.of("not ok"):
        lines += [f"  not ok     {rule.name}", f"             {rule.detail}", f"             breaks: {rule.breaks}",
                  f"             manual: {rule.manual}"]
    for rule in report.of("inexact"):
        lines += [f"  inexact    {rule.name}", f"             {rule.detail}"]
    return "\n".join([*lines, *report.verdict, ""])


def _tap(report):
    lines = [_BEGIN, *(f"# {line}" for line in report.machine), f"1..{len(report.rules)}"]
    for number, rule in enumerate(report.rules, 1):
        ok = "ok" if rule.outcome in ("ok", "skip") else "not ok"
        mark = {"skip": f" # SKIP {rule.detail}", "inexact": f" # TODO inexact: {rule.detail}"}.get(rule.outcome, "")
        lines.append(f"{ok} {number} - {rule.name}{mark}")
        if rule.outcome == "not ok":
            lines += [f"# {rule.detail}", f"# breaks: {rule.breaks}", f"# manual: {rule.manual}"]
    return "\n".join([*lines, *(f"# {line}" for line in report.verdict), f"# report: {report.summary()}", ""])


def _json(report):
    verdict = dict(line.strip().split(": ", 1) for line in report.verdict if ": " in line)
    rules = [vars(rule) for rule in report.rules]
    return json.dumps({"format": 1, "machine": report.machine, "rules": rules, "usable": verdict}, indent=1) + "\n"


def _junit(report):
    # It takes as long to load as a machine takes to boot: pylint: disable-next=import-outside-toplevel
    from xml.sax.saxutils import escape, quoteattr
    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             f'<testsuite name="pmu" tests="{len(report.rules)}" failures="{len(report.of("not ok"))}" '
             f'skipped="{len(report.of("skip")) + len(report.of("inexact"))}">']
    for rule in report.rules:
        group, _, name = rule.name.partition(".")
        case = f"<testcase classname={quoteattr('pmu.' + group)} name={quoteattr(name)}"
        if rule.outcome == "ok":
            lines.append(f" {case}/>")
        elif rule.outcome == "not ok":
            words = escape(f"breaks: {rule.breaks}\nmanual: {rule.manual}")
            lines.append(f" {case}><failure message={quoteattr(rule.detail)}>{words}</failure></testcase>")
        else:
            prefix = "inexact: " if rule.outcome == "inexact" else ""
            lines.append(f" {case}><skipped message={quoteattr(prefix + rule.detail)}/></testcase>")
    return "\n".join([*lines, "</testsuite>", ""])


def write(report, kind):
    """The text of the report as text, tap, json or junit."""
    return {"text": _text, "tap": _tap, "json": _json, "junit": _junit}[kind](report)
