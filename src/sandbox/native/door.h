/* SPDX-License-Identifier: Apache-2.0 */
/* door.h - where a process that is sealed already waits for the call it is for.
 *
 * A SOCK_SEQPACKET pair: the launcher has one end, the waiting process the
 * other.  One message comes, with four descriptors: standard input, output and
 * error, and the words (call/pack.h).  The process takes them, says when it
 * began on the board, and closes its end: that is how the launcher knows.
 */
#ifndef NATIVE_DOOR_H
#define NATIVE_DOOR_H

#include <stdbool.h>
#include <stdint.h>

enum { DOOR_MAGIC = 0x726f6f64 };
/* A program that waits by itself says this when it has everything, before it closes its end. */
enum { DOOR_BEGUN = 'b' };
/* Where they lie in the waiting process: the door, a library if it needs one, then the words. */
enum { DOOR_FD = 4, DOOR_LIBRARY_FD = 5, DOOR_WORDS_FD = 6, DOOR_LAST_FD = DOOR_WORDS_FD };

enum { DOOR_IN, DOOR_OUT, DOOR_ERR, DOOR_WORDS, DOOR_FDS };

struct door_go {
	uint32_t magic;
	uint32_t called; /* 1: to the launcher's processor (closeby.h) */
};

struct door_begun {
	uint64_t says;                         /* DOOR_BEGUN */
	uint64_t used_user_us, used_system_us; /* until here */
};

/* The launcher's side.  io: for 0, 1 and 2. */
int door_send(int door, const int io[3], int words, bool called);
/* The other side: waits; 0 and ret_fds, or -1 when nobody is there any more. */
int door_wait(int door, int ret_fds[DOOR_FDS], bool *ret_called);

#endif
