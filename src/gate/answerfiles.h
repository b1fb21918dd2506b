/* SPDX-License-Identifier: Apache-2.0 */
/* answerfiles.h - the files of an answer, and their names, before anybody sees them. */
#ifndef GATE_ANSWERFILES_H
#define GATE_ANSWERFILES_H

#include "gate/steps.h"

/* Those that the call left: without what must not be told, or refused. */
void files_clean(struct passage *p);

#endif
