/* SPDX-License-Identifier: Apache-2.0 */
/* landlock.h - files once more, by rule: for the case that a mount was wrong. */
#ifndef NATIVE_LANDLOCK_H
#define NATIVE_LANDLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	LANDLOCK_READ = 1 << 0,    /* read files, list directories */
	LANDLOCK_WRITE = 1 << 1,   /* write, make and remove anything but devices */
	LANDLOCK_EXECUTE = 1 << 2, /* start as a program */
	LANDLOCK_DEVICE = 1 << 3,  /* read, write and ioctl a device */
	LANDLOCK_LIST = 1 << 4,    /* list directories, read no file */
	LANDLOCK_KNOWN = 1 << 5,   /* no right: a device, or else a directory; nobody need look */
};

/* What may be done to fd (O_PATH will do) and, if it is a directory, to what lies beneath. */
struct landlock_rule {
	int fd;
	uint32_t rights;
};

enum { LANDLOCK_ABI_NEWEST = 9 };

/* What the kernel offers, 0 if nothing.  May be more than LANDLOCK_ABI_NEWEST. */
int landlock_abi(void);
/* A set of rules that allows nothing yet.  Unless loopback is set, no TCP port may be bound or
 * connected to.  ret_abi: the ABI that will be in force. */
int landlock_open(bool loopback, int *ret_abi, struct error *err);
int landlock_allow(int ruleset, int abi, const struct landlock_rule *rule, struct error *err);
/* For good: this thread and what it becomes may do what the rules say and no more.  no_new_privs
 * must be set. */
int landlock_enter(int ruleset, struct error *err);

#endif
