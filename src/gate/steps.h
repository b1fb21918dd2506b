/* SPDX-License-Identifier: Apache-2.0 */
/* steps.h - the larger steps of the path; path.c says when each is taken. */
#ifndef GATE_STEPS_H
#define GATE_STEPS_H

#include "gate/gate.h"
#include "sandbox/sandbox.h"

enum verdict { STOP = 0, GO_ON };

/* Turns what was a yes into a no; p->why says why.  Returns STOP. */
enum verdict step_deny(struct passage *p);
/* What is written inside: code, or a command line, which becomes words here. */
enum verdict step_screen(struct passage *p);
/* A box for what was judged, and what happened in it. */
enum verdict step_run(struct passage *p);

/* What a pattern such as with a star means now, as grants; links are left out. */
int expand_mount(const struct mount_rule *rule, struct arena *arena, struct profile *profile,
		 struct error *err);

#endif
