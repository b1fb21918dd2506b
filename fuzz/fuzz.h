/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz.h - what every fuzz target defines: one input, no opinion about the result.
 *
 * A target checks what must hold for any input with assert(); a crash, a
 * sanitizer's complaint or a failed assertion is a finding.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
