/* SPDX-License-Identifier: Apache-2.0 */
/* string.h - names of errors and signals, which musl has not. */
#ifndef MUSL_STRING_H
#define MUSL_STRING_H

#include_next <string.h>

const char *strerrorname_np(int error);
const char *sigabbrev_np(int signal);

#endif
