// SPDX-License-Identifier: BSD-2-Clause
/* Leaves two functions by an exception, 6 times; a name of C++ and one of a template. */
#include <cstdio>

namespace flows {

__attribute__((noinline)) void thrower(int n)
{
	throw n;
}

template <typename T> __attribute__((noinline)) T between(T n)
{
	thrower(n);
	return n + 1;
}

__attribute__((noinline)) int catcher(int n)
{
	try {
		return between<int>(n);
	} catch (int caught) {
		return caught;
	}
}

}

int main()
{
	int sum = 0;

	for (int i = 0; i < 6; i++)
		sum += flows::catcher(i);
	return sum == 15 ? 0 : 1;
}
