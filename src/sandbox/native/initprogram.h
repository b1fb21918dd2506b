/* SPDX-License-Identifier: Apache-2.0 */
/* initprogram.h - the program that becomes pid 1 of a box. */
#ifndef NATIVE_INITPROGRAM_H
#define NATIVE_INITPROGRAM_H

#include "base/error.h"

/* It is carried in belljar itself: a sealed memfd with it, or -1. */
int initprogram_open(struct error *err);

#endif
