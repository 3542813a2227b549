# SPDX-License-Identifier: BSD-2-Clause
"""The standard library at work, without asking much of the kernel."""

import collections, datetime, decimal, fractions, hashlib, itertools, json, math, random, re, statistics, string, struct, textwrap, zlib

print(json.dumps({"a": [1, 2.5, None, True], "ü": "€"}, sort_keys=True), json.loads('{"x": [1, {"y": "z"}]}'))
print(decimal.Decimal(1) / 7, fractions.Fraction(22, 7) + 1, math.pi, 2 ** 200, -7 // 2, divmod(-7, 3))
print(sorted(collections.Counter("mississippi").items()), list(itertools.permutations("abc", 2))[:3])
print(re.sub(r"(\w+) (\w+)", r"\2 \1", "hello world"), re.findall(r"\d+", "a1b22c333"))
print(hashlib.sha256(b"tally").hexdigest(), hashlib.md5(b"").hexdigest(), zlib.crc32(b"tally"))
print(zlib.decompress(zlib.compress(b"x" * 100000)) == b"x" * 100000, struct.pack("<IHb", 1, 2, -3).hex())
print(datetime.datetime(2024, 2, 29, tzinfo=datetime.timezone.utc).isoformat(), datetime.timedelta(days=1.5))
random.seed(1)
print(random.random(), random.sample(range(100), 5), statistics.mean([1, 2, 3, 4]))
print(textwrap.fill("the quick brown fox jumps over the lazy dog", 20), string.Template("$a!").substitute(a=1))
print(sum(i * i for i in range(200000)), [f"{x:>8.3f}" for x in (math.e, 1e10)])
