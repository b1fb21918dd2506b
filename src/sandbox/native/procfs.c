/* SPDX-License-Identifier: Apache-2.0 */
/* procfs.c - a /proc of the pid namespace we are in. */
#include "sandbox/native/procfs.h"

#include <sys/mount.h>

int procfs_mount(const char *target, bool full, struct board *board, struct error *err)
{
	if (mount("proc", target, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		  full ? "hidepid=invisible" : "subset=pid,hidepid=invisible") == 0) {
		layer_stands(board, LAYER_PROC, "%s",
			     full ? "own, whole, with masks"
				  : "own, processes only, others hidden");
		return 0;
	}
	(void)fail_sys(err, "mount /proc");
	return layer_missing(board, LAYER_PROC, NULL, err);
}
