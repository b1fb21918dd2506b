/* SPDX-License-Identifier: Apache-2.0 */
/* processor.h - which instructions this processor has beyond those that every one of its kind has.
 */
#ifndef BASE_PROCESSOR_H
#define BASE_PROCESSOR_H

#include <stdbool.h>

/* As cpuid's leaf 1 has them in ecx. */
enum {
	PROCESSOR_SSSE3 = 1 << 9,
	PROCESSOR_SSE42 = 1 << 20,
	PROCESSOR_POPCNT = 1 << 23,
};

/* All of them?  Never elsewhere than on x86. */
bool processor_has(unsigned wanted);

#endif
