/* SPDX-License-Identifier: Apache-2.0 */
/* own.h - whoever declares it, owns it, and the end of the scope ends it. */
#ifndef BASE_OWN_H
#define BASE_OWN_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static inline void own_fd_end(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

static inline void own_ptr_end(void *ptr)
{
	free(*(void **)ptr);
}

static inline void own_file_end(FILE **file)
{
	if (*file)
		(void)fclose(*file);
}

#define own_fd    __attribute__((cleanup(own_fd_end))) int
#define own_str   __attribute__((cleanup(own_ptr_end))) char *
#define own_mem   __attribute__((cleanup(own_ptr_end)))
#define own_file  __attribute__((cleanup(own_file_end))) FILE *
#define own(type) __attribute__((cleanup(type##_end))) struct type

/* Hands a descriptor over: the caller owns it now. */
static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#define TAKE(ptr)                               \
	({                                      \
		__typeof__(ptr) taken_ = (ptr); \
		(ptr) = NULL;                   \
		taken_;                         \
	})

#endif
