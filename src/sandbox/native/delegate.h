/* SPDX-License-Identifier: Apache-2.0 */
/* delegate.h - asks systemd for a control group of our own by starting again inside one. */
#ifndef NATIVE_DELEGATE_H
#define NATIVE_DELEGATE_H

#include <stdbool.h>

#include "base/error.h"

/* Does systemd run here, and have we not been there already? */
bool delegate_possible(void);

/* Executes this program again, in a scope of its own that systemd delegates to it.  args: what
 * follows the program's name, from the command word on.  Returns only to report a failure: -1. */
int delegate_reexec(char **args, struct error *err);
/* The same with another systemd-run; for tests. */
int delegate_reexec_by(const char *systemd_run, char **args, struct error *err);

#endif
