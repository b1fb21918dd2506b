/* SPDX-License-Identifier: Apache-2.0 */
/* explain.h - belljar run --explain: what would be done, without doing it. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "cli/options.h"

int explain(const struct run_options *o, struct error *err);

#endif
