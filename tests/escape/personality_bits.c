/* SPDX-License-Identifier: Apache-2.0 */
/* personality_bits.c - attacks the process's own hardening: no randomised addresses, readable
 * means executable, i386 manners.  VALUE [high] */
#include <sys/personality.h>
#include <sys/syscall.h>

#include "escape.h"

int main(int argc, char **argv)
{
	long value = (long)number(need_arg(argc, argv, 1, "value"));

	if (argc > 2)
		value = with_bit_32(value);
	tried("personality(%#lx)", value);
	end_by(syscall(SYS_personality, value), "personality");
}
