/* SPDX-License-Identifier: Apache-2.0 */
/* fakekeeper.h - speaks for a keeper, or for the reader, and does what bodies tell it. */
#ifndef TESTS_SERVE_FAKEKEEPER_H
#define TESTS_SERVE_FAKEKEEPER_H

#include <stdbool.h>

/* Each until the socket closes. */
void fakekeeper_run(int sock, bool session);
void fakereader_run(int sock, bool session);

#endif
