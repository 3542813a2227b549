// SPDX-License-Identifier: BSD-2-Clause
/* The program that does nothing: what is left of a run's time is the tool's and the machine's. */
#include "system_call.h"

int program_main(int argc, char **argv, char **env)
{
	(void)argc;
	(void)argv;
	(void)env;
	return 0;
}
