/* SPDX-License-Identifier: Apache-2.0 */
/* delegate.h - asks systemd for a control group of our own by starting again inside one. */
#ifndef NATIVE_DELEGATE_H
#define NATIVE_DELEGATE_H

#include <stdbool.h>

#include "base/error.h"

/* Does systemd run here, and have we not been there already? */
bool delegate_possible(void);

/* Executes this program again, with argv (argv[0] included), in a scope of its own that systemd
 * delegates to it.  Returns only to report a failure: -1. */
int delegate_reexec(char **argv, struct error *err);
/* The same with another systemd-run; for tests. */
int delegate_reexec_by(const char *systemd_run, char **argv, struct error *err);

#endif
