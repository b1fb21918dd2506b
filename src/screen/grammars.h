/* SPDX-License-Identifier: Apache-2.0 */
/* grammars.h - the grammars that are compiled in; they come without headers. */
#ifndef SCREEN_GRAMMARS_H
#define SCREEN_GRAMMARS_H

#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_bash(void);
const TSLanguage *tree_sitter_javascript(void);
const TSLanguage *tree_sitter_python(void);

#endif
