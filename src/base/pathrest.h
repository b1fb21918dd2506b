/* SPDX-License-Identifier: Apache-2.0 */
/* pathrest.h - a path that is walked part by part, so that each can be looked at before it is used.
 */
#ifndef BASE_PATHREST_H
#define BASE_PATHREST_H

#include <limits.h>
#include <stdbool.h>

struct pathrest {
	char *text; /* what is still to be walked */
	int dir;    /* from here; O_PATH */
	int links;  /* that were followed */
};

enum { PATHREST_NAME = NAME_MAX + 2 };

void pathrest_end(struct pathrest *p);
/* Takes the first part off the rest; false at the end. */
bool pathrest_take(struct pathrest *p, char ret_name[PATHREST_NAME], bool *ret_last);
/* Where a link leads, which may be followed so often only.  -1: errno. */
int pathrest_read_link(struct pathrest *p, int link, char ret_to[PATH_MAX]);
/* Goes on with the link's text in front of the rest.  -1: errno. */
int pathrest_follow(struct pathrest *p, const char *to);
/* Goes on from there; the descriptor is the path's now. */
void pathrest_enter(struct pathrest *p, int dir);

#endif
