#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""No path into the kernel takes more than half of the instructions that Linux takes, and none that is about events more
than a third: see docs/performance.md. perfctr's costs have goals too: see docs/perfctr.md."""

import os

from tallytest import kernels

HERE = os.path.dirname(os.path.abspath(__file__))

kernels.skip_on_debug("the debug kernel's checks are no part of a path's cost")
compare = os.path.join(HERE, "compare")
os.execv(compare, [compare, "--tap"])
