# SPDX-License-Identifier: BSD-2-Clause
"""Modules that the tests in Python share.

tests/tests.mk puts tests/ and tools/ into PYTHONPATH: run a test with make check TESTS=…
"""
