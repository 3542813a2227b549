# SPDX-License-Identifier: BSD-2-Clause
"""Classes that are made of their annotations, like those of the standard library's dataclasses.

That module loads the compiler's syntax trees, its tokenizer and more: a fifth of the time in which `tools/tally` starts.
The modules of every run use this one, which has no more than they need.
"""


class _Fresh:
    """A default that each object has made for itself."""

    def __init__(self, make):
        self.make = make


def fresh(make):
    """The default of a member that MAKE, a function without parameters, makes for each object."""
    return _Fresh(make)


def record(cls):
    """A decorator: the members are the annotated names, in their order, with the values there as defaults. Objects are made by
    positions, by names or by both, and are equal if all their members are."""
    names = tuple(cls.__annotations__)
    defaults = {name: vars(cls)[name] for name in names if name in vars(cls)}

    def __init__(self, *values, **named):
        given = dict(zip(names, values))
        if len(values) > len(names) or given.keys() & named.keys() or named.keys() - set(names):
            raise TypeError(f"{cls.__name__} has the members {', '.join(names)}")
        given.update(named)
        for name in names:
            if name in given:
                value = given[name]
            elif name not in defaults:
                raise TypeError(f"{cls.__name__}: {name} is missing")
            else:
                value = defaults[name]
                value = value.make() if isinstance(value, _Fresh) else value
            setattr(self, name, value)

    def __eq__(self, other):
        return vars(self) == vars(other) if other.__class__ is cls else NotImplemented

    def __repr__(self):
        return f"{cls.__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    cls.__init__, cls.__eq__, cls.__repr__, cls.__hash__ = __init__, __eq__, __repr__, None
    return cls
