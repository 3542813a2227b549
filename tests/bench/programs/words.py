# SPDX-License-Identifier: BSD-2-Clause
"""Words, dictionaries and a sort, as often as the argument says. Prints one number."""

import sys


def main():
    total = 0
    for number in range(int(sys.argv[1])):
        words = [f"{(number * 7919 + n * 104729) % 9973:05}" for n in range(400)]
        counts = {}
        for word in words:
            counts[word[:3]] = counts.get(word[:3], 0) + 1
        total += sum(int(word) * counts[word[:3]] for word in sorted(words))
    print(total)


main()
