/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_attack.c - belljar attack-inside: what doctor --attack runs in the boxes it attacks. */
#include <unistd.h>

#include "cli/cli.h"
#include "sandbox/native/attack.h"

/* The parent of a box's first process is outside its pid namespace.  Anywhere else this would
 * attack the host, and a host without walls might mind. */
static int check_place(struct error *err)
{
	return getppid() == 0 ? 0 : fail(err, ERR_REFUSED, "attack-inside runs in a box only");
}

int cmd_attack(int argc, char **argv)
{
	struct bait bait;
	struct error err;

	if (check_place(&err) == 0 && bait_from_env(&bait, &err) == 0 &&
	    attack_inside(argc > 1 ? argv[1] : NULL, &bait, &err) == 0)
		return 0;
	return cli_complain(&err);
}
