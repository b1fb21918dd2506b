/* SPDX-License-Identifier: Apache-2.0 */
/* copyout.h - takes files out of a box's /work after everything in it is dead. */
#ifndef NATIVE_COPYOUT_H
#define NATIVE_COPYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "call/call.h"
#include "sandbox/capture.h"
#include "sandbox/native/trustpath.h"

struct copyout_caps {
	uint64_t file_bytes;  /* of one file */
	uint64_t total_bytes; /* of all files in the account together */
	size_t files;         /* copied or refused, in the account together */
	uint64_t names_bytes; /* of their names together: the account is not to grow with them */
	const struct filter *filter; /* text goes through it; NULL: comes out as it is */
};

/* How far a walk goes, whatever the box made: deeper directories and further entries are not
 * looked at, and the account says so. */
enum { COPYOUT_DEPTH_MAX = 64, COPYOUT_ENTRIES_MAX = 1000000 };

/* What a box with these limits can really have written: larger is sparse, and refused. */
void copyout_caps_for(const struct limits *limits, struct copyout_caps *ret);

/* Before the program runs: is the glob one, can dir be written to, is libcrypto there?  A wrong
 * word should not cost a run. */
int copyout_prepare(const char *glob, const char *dir, struct error *err);

/* Copies each regular file beneath work whose name matches glob into dir, which is made for the
 * first of them if it is not there; nothing in dir is followed out of it, and only regular files
 * are replaced.  Each match becomes an artifact of the account: copied, with size and SHA-256, or
 * refused, with the reason. So does a glob that matches nothing.  A refusal is a result: only
 * failures of the host (no libcrypto, dir not writable, its disk full) return -1. */
int copyout_collect(int work, const char *glob, const char *dir, const struct copyout_caps *caps,
		    struct account *account, struct error *err);

/* The same for a directory that was found before (outdir_open): what its name means after a program
 * ran that may write there is that program's choice. */
int copyout_collect_into(int work, const char *glob, struct trustdir *outdir,
			 const struct copyout_caps *caps, struct account *account,
			 struct error *err);

/* The same into memory: bytes are added to heap (a memfd), and each artifact says where (at). */
int copyout_into_heap(int work, const char *glob, int heap, const struct copyout_caps *caps,
		      struct account *account, struct error *err);
/* The bytes of an artifact from there; of a heap that has `there` bytes. */
int copyout_load(int heap, uint64_t there, struct artifact *a, struct error *err);

#endif
