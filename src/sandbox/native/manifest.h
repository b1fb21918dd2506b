/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.h - the list of what is in a private root, and whether it is still so. */
#ifndef NATIVE_MANIFEST_H
#define NATIVE_MANIFEST_H

#include <stddef.h>

#include "base/error.h"

#define MANIFEST_NAME ".belljar-root.json"

/* Writes the manifest of the tree at root (a descriptor) into it. */
int manifest_write(int root, const char *const *programs, size_t n, struct error *err);

/* Called with one sentence for each thing that is not as it should be. */
typedef void manifest_complain(void *context, const char *sentence);

/* Compares the tree with its manifest and looks for what no root may hold: set-id bits, file
 * capabilities, devices, files others may write.  Returns how much was found, or -1. */
int manifest_check(int root, manifest_complain *complain, void *context, struct error *err);

#endif
