/* SPDX-License-Identifier: Apache-2.0 */
/* processor.c - which instructions this processor has beyond those that every one of its kind has.
 *
 * Not by __builtin_cpu_supports(): what gcc brings along for it asks some twenty questions before
 * main, in every run, and a virtual machine answers one in five microseconds.  Here it is one, when
 * somebody wants to know; that is for every piece of output, and so the answer is kept.
 */
#include "base/processor.h"

#ifdef __x86_64__
#include <cpuid.h>

bool processor_has(unsigned wanted)
{
	static unsigned has;
	static bool asked;
	unsigned a, b, d;

	if (!asked)
		__cpuid(1, a, b, has, d);
	asked = true;
	return (has & wanted) == wanted;
}
#else
bool processor_has(unsigned wanted)
{
	return !wanted;
}
#endif
