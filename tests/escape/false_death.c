/* SPDX-License-Identifier: Apache-2.0 */
/* false_death.c - attacks the account: look as if a limit had killed us.
 *
 * exit CODE, or signal NUMBER sent to ourselves.
 */
#include <signal.h>

#include "escape.h"

int main(int argc, char **argv)
{
	const char *way = need_arg(argc, argv, 1, "exit or signal");
	int value = (int)number(need_arg(argc, argv, 2, "number"));

	tried("%s %d", way, value);
	if (strcmp(way, "signal") == 0)
		(void)kill(getpid(), value);
	_exit(value);
}
