/* SPDX-License-Identifier: Apache-2.0 */
/* outdir.h - the host directory that files of a box are copied to.
 *
 * Whoever owns that directory may have put links into it: nothing is written through one, and
 * nothing but a regular file is replaced.  Functions return -1 when the host fails; when it is the
 * file that cannot be placed they return 0 and write the reason into the artifact.
 */
#ifndef NATIVE_OUTDIR_H
#define NATIVE_OUTDIR_H

#include <limits.h>
#include <sys/types.h>

#include "base/error.h"
#include "call/call.h"
#include "sandbox/native/trustpath.h"

/* A file on its way: it has a name nobody looks for until it is whole. */
struct outfile {
	int dir;
	int fd;
	char temporary[40];
	char name[NAME_MAX + 1];
};

void artifact_refuse(struct artifact *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Finds dir, through no link that a program could have left (trustpath.h).  If it is not there, it
 * is made for the first file. */
int outdir_open(const char *dir, struct trustdir *ret, struct error *err);
/* Makes the temporary file for a->name, in the directories of that name beneath outdir. */
int outdir_begin(struct trustdir *outdir, struct artifact *a, struct outfile *ret,
		 struct error *err);
/* Gives it its name. */
int outdir_commit(struct outfile *file, mode_t mode, struct artifact *a, struct error *err);
/* Removes it if it was not committed. */
void outfile_end(struct outfile *file); /* for own(outfile) */

#endif
