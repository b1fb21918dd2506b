/* SPDX-License-Identifier: Apache-2.0 */
/* zygotewire.h - what a launcher and a warm interpreter in its slot say to each other.
 *
 * Fixed structs over a SOCK_SEQPACKET pair, descriptors beside them.  Read by
 * the launcher and by what is loaded into the interpreter (src/warm), which
 * come out of one build.
 */
#ifndef NATIVE_ZYGOTEWIRE_H
#define NATIVE_ZYGOTEWIRE_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call/call.h"
#include "call/inside.h"
#include "sandbox/native/sealing.h"
#include "sandbox/native/seccomp.h"

enum { ZYGOTE_MAGIC = 0x7a79676f };

/* Where its descriptors lie when it starts. */
enum {
	ZYGOTE_CONTROL_FD = 3,
	ZYGOTE_BOARD_FD = 4,
	ZYGOTE_PROC_FD = 5, /* its own directory of /proc, from which no way leads up; or nothing */
};
/* And where it finds what it loads. */
#define ZYGOTE_LIBRARY "/proc/belljar-zygote.so"

/* Bear a child, sealed like this.  Of its system-call filter the first half is in force already. */
struct zygote_order {
	uint32_t magic;
	bool root_mode, marks, memory_by_rlimit, has_rules, v2_door;
	uint32_t n_doors;
	uint32_t first_len, filter_len;
	struct limits limits;
	char cwd[KEPT_PATH_MAX]; /* empty: /work */
	struct sock_filter filter[SECCOMP_MAX];
};

/* Of the filter only as much is sent as there is. */
static inline size_t zygote_order_size(const struct zygote_order *order)
{
	return offsetof(struct zygote_order, filter) + order->filter_len * sizeof(order->filter[0]);
}

/* Positions of the descriptors that come with it; then the rules, the v2 door, the v1 doors. */
enum {
	ZYGOTE_PIDFD,
	ZYGOTE_ROOT,
	ZYGOTE_DOOR,
	ZYGOTE_FDS,
	ZYGOTE_FDS_MAX = ZYGOTE_FDS + 2 + SEALING_DOORS
};

/* Shared with the launcher and between the births; a child lets go of them before it runs code. */
enum { ZYGOTE_BOARD_MAP, ZYGOTE_BORN_MAP, ZYGOTE_MAPS };

enum zygote_says {
	ZYGOTE_NOTHING = 0,
	ZYGOTE_READY,  /* resident, maps */
	ZYGOTE_BORN,   /* pid; or an errno, negative: there is none */
	ZYGOTE_FAILED, /* text */
};

struct zygote_news {
	uint32_t magic;
	uint32_t says;
	int32_t pid;
	uint32_t pad;
	uint64_t resident;
	uint64_t maps[ZYGOTE_MAPS];
	char text[200];
};

#endif
