/* SPDX-License-Identifier: Apache-2.0 */
/* nodewire.h - what a node that waits at the door and its launcher agree about.
 *
 * The descriptors lie above those that node opens for itself at its start: a program then gets the
 * same numbers as in a node that was started for it.  src/warm/node_warm.js knows them too.
 */
#ifndef NATIVE_NODEWIRE_H
#define NATIVE_NODEWIRE_H

enum {
	NODE_DOOR_FD = 40,
	NODE_LIBRARY_FD = 41,  /* node_door.so, sealed */
	NODE_WORDS_FD = 42,    /* after the go, until node_warm.js has read them */
	NODE_PIPE_OUT_FD = 43, /* for the rehearsal: made and closed by node_door.so */
	NODE_PIPE_IN_FD = 44,  /* closed by node_warm.js */
	NODE_FILES_MIN = 64,   /* with fewer open files a node cannot wait */
	NODE_CPU_PERCENT_MIN = 20,
};

/* In every box of a slot whose nodes wait, for as long as it stands: worker threads look for it. */
#define NODE_DRIVER_PATH "/etc/belljar-node.cjs"
/* The main script, until the call names one: there is none of that name, whatever comes. */
#define NODE_NO_MAIN "/dev/null/main.js"

#endif
