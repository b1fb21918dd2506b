/* SPDX-License-Identifier: Apache-2.0 */
/* etcfiles.h - the made-up /etc of a box. */
#ifndef NATIVE_ETCFILES_H
#define NATIVE_ETCFILES_H

#include "base/error.h"
#include "sandbox/native/board.h"
#include "sandbox/native/plan.h"

/* The texts, into a directory that is empty. */
int etcfiles_write(int dir, struct error *err);
/* The host's cache of libraries, if there is one, into the same. */
int etcfiles_copy_cache(int dir, struct error *err);
/* Another number when the texts are others. */
uint64_t etcfiles_texts_hash(void);
/* New root in the current directory. */
int etcfiles_make(const struct plan *plan, struct board *board, struct error *err);

#endif
