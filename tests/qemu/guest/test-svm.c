#include "pmu.h"
void test_svm(void)
{
	tap_ok(true, "x");
}
