/* SPDX-License-Identifier: Apache-2.0 */
/* languages.h - the readers of each language and their rules, for screen.c. */
#ifndef SCREEN_LANGUAGES_H
#define SCREEN_LANGUAGES_H

#include "screen/bashcode.h"
#include "screen/javascript.h"
#include "screen/python.h"

#endif
