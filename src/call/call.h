/* SPDX-License-Identifier: Apache-2.0 */
/* call.h - the nouns: what is asked (job), what it may use (limits), what happened (account).
 *
 * Zero means no: an account that nobody filled in says "unknown", a layer that
 * nobody put up says "off", a permission that nobody gave is absent.
 */
#ifndef CALL_CALL_H
#define CALL_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

struct limits {
	uint64_t wall_ms;
	uint64_t cpu_ms;
	uint64_t memory_bytes;
	uint64_t disk_bytes;
	uint64_t inodes;
	uint64_t processes;
	uint64_t files;
	uint64_t output_bytes;
	uint64_t cpu_percent; /* of one core */
};

enum layer {
	LAYER_USER_NAMESPACE,
	LAYER_OWN_UID,
	LAYER_PID_NAMESPACE,
	LAYER_MOUNT_NAMESPACE,
	LAYER_IPC_NAMESPACE,
	LAYER_UTS_NAMESPACE,
	LAYER_CGROUP_NAMESPACE,
	LAYER_NETWORK,
	LAYER_INIT,
	LAYER_OVERLAY,
	LAYER_PROC,
	LAYER_MEMORY,
	LAYER_PROCESSES,
	LAYER_CPU,
	LAYER_DISK,
	LAYER_RLIMITS,
	LAYER_KEYRING,
	LAYER_CAPABILITIES,
	LAYER_NO_NEW_PRIVS,
	LAYER_LANDLOCK,
	LAYER_PROGRAMS,
	LAYER_SECCOMP,
	LAYER_COUNT
};

enum layer_state {
	LAYER_OFF = 0,
	LAYER_DEGRADED, /* something weaker stands in; detail says what */
	LAYER_FULL,
};

struct layer_report {
	enum layer_state state;
	char detail[60];
};

enum { GRANTS_MAX = 64, PROGRAMS_MAX = 128, WARM_MODULES_MAX = 64, WARM_ENV_MAX = 32 };

struct grant {
	const char *source; /* on the host */
	const char *inside; /* absolute, in the box */
	bool write;
	uint64_t dev,
		ino; /* the file it must still be when it is opened; ino 0: whatever is there */
};

enum warm_kind {
	WARM_NOT =
		0, /* every program starts cold; a slot that stays still seals its process ahead */
	WARM_PYTHON, /* forked from an interpreter that waits in the slot */
	WARM_NODE,   /* started ahead, one for one call */
	WARM_COUNT
};

/* What is ready before a call comes.  It never holds anything of a caller's. */
struct warm {
	enum warm_kind kind;
	const char *program;                   /* as in argv[0] of the calls that it is for */
	const char *modules[WARM_MODULES_MAX]; /* imported ahead */
	size_t n_modules;
	const char *env[WARM_ENV_MAX]; /* "K=V", beside the standard ones; no secrets */
	size_t n_env;
	uint64_t calls;  /* a new interpreter after so many */
	uint64_t age_ms; /* or when it is so old */
};

/* What decides the slot: dear to make, the same for many calls. */
struct profile {
	const char *root;   /* a private root directory; NULL: the host's programs */
	const char *cgroup; /* make groups beneath this directory; NULL: beneath our own */
	const char *programs[PROGRAMS_MAX];
	size_t n_programs; /* 0: everything in the root may run */
	struct grant grants[GRANTS_MAX];
	size_t n_grants;
	bool loopback;           /* lo is up, TCP to itself works */
	bool proc_full;          /* /proc with cpuinfo, meminfo and stat */
	uint32_t allow_degraded; /* one bit per enum layer */
	struct warm warm;        /* only of a slot that stays */
};

/* One call: what runs in the slot. */
struct job {
	char **argv; /* NULL-terminated */
	char **env;  /* NULL-terminated "K=V"; the whole environment */
	struct limits limits;
	bool keep_work; /* its files are read when it has ended */
};

enum status {
	STATUS_UNKNOWN = 0, /* we did not see the end */
	STATUS_DENIED,
	STATUS_SUCCESS,
	STATUS_ERROR,
	STATUS_TIMEOUT,
	STATUS_RESOURCE_EXCEEDED,
	STATUS_COUNT
};

enum kill_reason {
	KILL_NONE = 0,
	KILL_WALL,
	KILL_CPU,
	KILL_MEMORY,
	KILL_PROCESSES,
	KILL_DISK,
	KILL_OUTPUT,
	KILL_SIGNAL,    /* a signal that was not ours */
	KILL_VIOLATION, /* the system call filter */
	KILL_CANCELLED, /* the caller went away or asked for it */
	KILL_CANARY,    /* a secret came out that nobody has any business printing */
	KILL_COUNT
};

struct usage {
	uint64_t cpu_user_us;
	uint64_t cpu_system_us;
	uint64_t memory_peak_bytes;
	uint64_t processes_peak;
	uint64_t disk_peak_bytes;
	uint64_t inodes_peak;
	uint64_t minor_faults;
	uint64_t major_faults;
	uint64_t read_bytes;
	uint64_t write_bytes;
	uint64_t forks_refused;
	uint64_t memory_limit_hits;
	uint64_t cpu_throttled_us;
	bool disk_full;   /* seen without a free block: writes were refused */
	bool inodes_full; /* seen without a free inode */
};

enum end {
	END_UNKNOWN = 0,
	END_NOT_STARTED, /* error says why; nothing ran */
	END_EXITED,
	END_SIGNALLED,
};

enum start_how {
	START_COLD = 0, /* process and program were started for the call */
	START_SEALED,   /* a sealed process waited, the program was started */
	START_FORKED,   /* forked from a warm interpreter for the call */
	START_WAITING,  /* a warm interpreter waited, sealed */
	START_TEMPLATE, /* an interpreter of a session that began as a copy of one in a file */
	START_COUNT
};

/* How a program came to be, and what was there before it. */
struct start {
	enum start_how how;
	char why_cold[80];       /* a warm one was wanted and is not it; else empty */
	uint64_t baseline_bytes; /* resident in the interpreter that it was forked from; shared */
	uint64_t interpreter_age_ms;
	uint64_t interpreter_calls; /* that were forked from it, with this one */
	uint64_t interpreters;      /* that this slot has started so far */
};

/* What the warden knows of one call; fixed size, travels between processes as it is. */
struct outcome {
	enum end end;
	int exit_code; /* when END_EXITED */
	int signal;    /* when END_SIGNALLED */
	enum kill_reason killed_for;
	uint64_t setup_us; /* from the request until the program's first instruction */
	uint64_t run_us;   /* from there until its end */
	struct start start;
	struct usage usage;
	struct layer_report layers[LAYER_COUNT];
	struct error error; /* when END_NOT_STARTED or END_UNKNOWN */
};

struct stream {
	struct buf kept;
	uint64_t seen;
	bool truncated;
};

struct artifact {
	char *name; /* bytes as the box chose them, beneath /work; NUL-terminated */
	uint64_t size;
	char sha256[65];
	char refused[96]; /* why it was not copied; empty: it was */
	char *content;    /* its bytes, if it was asked for in memory; else NULL */
	size_t content_len;
	bool redacted; /* it was text, and something in it was replaced */
	uint64_t at;   /* where they are, while they are in a heap (copyout_into_heap) */
};

struct account {
	char id[40];
	struct limits limits;
	struct outcome outcome;
	enum status status;
	struct stream out;
	struct stream err;
	struct artifact *artifacts;
	size_t n_artifacts;
	bool root_mode; /* made by root, with a uid of its own */
};

const char *status_name(enum status status);
const char *kill_reason_name(enum kill_reason reason); /* NULL for none */
const char *start_how_name(enum start_how how);
const char *warm_kind_name(enum warm_kind kind);
const char *layer_name(enum layer layer);
const char *layer_state_name(enum layer_state state);
/* -1 if there is no such layer. */
int layer_by_name(const char *name);

void account_init(struct account *a, const struct limits *limits);
/* ... of something that has an id already. */
void account_init_of(struct account *a, const struct limits *limits, const char *id);
void account_done(struct account *a);
/* A random id: "bj-" and 24 hex digits. */
void account_make_id(char *ret_id, size_t room);
/* Judges the outcome: status follows from it and from nothing else. */
void account_judge(struct account *a);
/* A ceiling for the buffer that account_json() writes to: no account is larger. */
size_t account_json_room(const struct account *a);
/* The documented object (belljar-run(1), ACCOUNT). */
int account_json(const struct account *a, struct buf *out, struct error *err);
/* Its members alone, into an object that is open: an answer has more of them. */
struct jsonout;
void account_write(const struct account *a, struct jsonout *j);
/* The same without error and artifacts, which an answer may have in another form. */
void account_write_facts(const struct account *a, struct jsonout *j);
/* What is always said of a file that came out; an answer may have its contents as well. */
void artifact_json(const struct artifact *f, struct jsonout *j);

#endif
