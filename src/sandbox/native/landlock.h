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
};

/* What may be done to fd (O_PATH will do) and, if it is a directory, to what lies beneath. */
struct landlock_rule {
	int fd;
	uint32_t rights;
};

enum { LANDLOCK_ABI_NEWEST = 9 };

/* What the kernel offers, 0 if nothing.  May be more than LANDLOCK_ABI_NEWEST. */
int landlock_abi(void);
/* For good: this thread and what it becomes may do what the rules say and no more.  Unless
 * loopback is set, no TCP port may be bound or connected to.  no_new_privs must be set.  Does not
 * allocate: to be called between fork and exec.  ret_abi: the ABI that is in force. */
int landlock_restrict(const struct landlock_rule *rules, size_t n, bool loopback, int *ret_abi,
		      struct error *err);

#endif
