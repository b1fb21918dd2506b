/* SPDX-License-Identifier: Apache-2.0 */
/* belljar.h - run programs that nobody has read, each in a sealed box.
 *
 *     struct bj_box *box = bj_box_new();
 *     struct bj_result *result;
 *
 *     if (bj_box_set(box, "memory", "64m") < 0 ||
 *         bj_run_code(box, "python", "print(6 * 7)", NULL, &result) < 0)
 *             complain(bj_error(box));
 *     else
 *             fwrite(result->out.data, 1, result->out.size, stdout);
 *
 * A box is limits and permissions, and a small helper process (belljar slot)
 * that makes a fresh box for every call with them.  Nothing is left of one
 * call when the next begins.  Your process is never forked; its memory,
 * environment and descriptors stay its own.
 *
 * One thread at a time may use a box; several threads use several boxes.
 * bj_cancel() alone may be called from anywhere, also from a signal handler.
 * The library prints nothing, never exits, and changes no signal's disposition.
 *
 * Where a function returns int, 0 is success and -1 failure, and bj_error()
 * says why.  belljar(3) has all of this in more words.
 */
#ifndef BELLJAR_H
#define BELLJAR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bj_box;

/* The version of the library, such as "0.1.0". */
const char *bj_version(void);

/* NULL: no memory or no descriptor left; errno says which. */
struct bj_box *bj_box_new(void);
/* Kills what runs, ends the helper and waits for it.  NULL is fine. */
void bj_box_free(struct bj_box *box);

/* One option of belljar run by its name without dashes: "memory" "256m", "read" "/srv/data:/data",
 * "programs" "ls,cat", "allow-degraded" "cpu".  An option without a value takes NULL.  Besides,
 * "helper": the program to start instead of the installed belljar.  The value is checked at once
 * and copied.  Limits hold from the next call on; permissions cost it a new helper. */
int bj_box_set(struct bj_box *box, const char *option, const char *value);

/* Starts the helper now, so that the first call need not; also the way to learn early whether this
 * host can make such a box. */
int bj_box_prepare(struct bj_box *box);

/* Why the last call of a function with this box failed; never NULL. */
const char *bj_error(const struct bj_box *box);

/* A file for the program, beneath /work, given as bytes. */
struct bj_file {
	const char *name; /* "data.csv", "in/a.txt"; directories are made */
	const void *data;
	size_t size;
	int executable;
};

enum bj_stream { BJ_STDOUT = 1, BJ_STDERR = 2 };

/* What goes into one call.  Begin with: struct bj_input in = BJ_INPUT_INIT; */
struct bj_input {
	size_t struct_size;     /* set by BJ_INPUT_INIT */
	const void *stdin_data; /* NULL: the program reads from stdin_fd, or nothing */
	size_t stdin_size;
	const char *const *env;  /* "NAME=VALUE", NULL-terminated, added to the box's; NULL: none */
	const char *const *args; /* bj_run_code(): the code's own arguments; NULL: none */
	const struct bj_file *files;
	size_t n_files;
	/* Hears output as it comes, in the thread that called bj_run(); NULL: nobody does. */
	void (*on_output)(void *context, enum bj_stream stream, const char *data, size_t size);
	void *context;
	int stdin_fd;  /* read and passed on until its end; -1: none */
	int cancel_fd; /* the call is killed once this is readable; -1: none */
};

#define BJ_INPUT_INIT                                                                     \
	{                                                                                 \
		sizeof(struct bj_input), NULL, 0, NULL, NULL, NULL, 0, NULL, NULL, -1, -1 \
	}

enum bj_status {
	BJ_UNKNOWN = 0, /* its end was not seen; it may or may not have run to it */
	BJ_DENIED,      /* the program exists in the box but may not be executed */
	BJ_SUCCESS,     /* exit code 0 */
	BJ_ERROR,       /* another exit code, a signal, no such program, or cancelled */
	BJ_TIMEOUT,     /* out of wall-clock time */
	BJ_RESOURCE_EXCEEDED
};

/* From belljar's own clock and the kernel's counters, never from an exit code. */
enum bj_kill_reason {
	BJ_KILL_NONE = 0, /* it was not killed */
	BJ_KILL_WALL,
	BJ_KILL_CPU,
	BJ_KILL_MEMORY,
	BJ_KILL_PROCESSES,
	BJ_KILL_DISK,
	BJ_KILL_OUTPUT,
	BJ_KILL_SIGNAL,    /* a signal that was not ours */
	BJ_KILL_VIOLATION, /* a forbidden kind of system call */
	BJ_KILL_CANCELLED, /* bj_cancel() or cancel_fd */
	BJ_KILL_CANARY     /* belljar call only: a planted secret came out */
};

/* As in the JSON account: "success", "resource_exceeded"; "wall", "memory", NULL for none. */
const char *bj_status_name(enum bj_status status);
const char *bj_kill_reason_name(enum bj_kill_reason reason);

struct bj_output {
	const char *data; /* never NULL; a NUL follows it */
	size_t size;
	uint64_t seen; /* bytes it wrote; more than size: the rest was dropped */
	int truncated;
};

struct bj_usage {
	uint64_t cpu_user_us;
	uint64_t cpu_system_us;
	uint64_t cpu_throttled_us;
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
	int disk_full;   /* writes were refused */
	int inodes_full; /* new files were refused */
};

enum bj_layer_state { BJ_LAYER_OFF = 0, BJ_LAYER_DEGRADED, BJ_LAYER_FULL };

/* A wall around the program: belljar-run(1), LAYERS. */
struct bj_layer {
	const char *name;
	enum bj_layer_state state;
	const char *detail;
};

/* A file that the option "get" matched. */
struct bj_artifact {
	const char *name; /* beneath /work; bytes that the program chose: never use it as a path */
	uint64_t size;
	const char *sha256;  /* NULL: it was not copied */
	const char *refused; /* why not; NULL: it was */
};

/* What happened.  Made by the library only; later versions add members at the end. */
struct bj_result {
	const char *id;
	enum bj_status status;
	enum bj_kill_reason killed_for;
	int exit_code;     /* -1: it did not exit by itself */
	int signal;        /* 0: it was not ended by a signal */
	const char *error; /* why nothing ran, the end is unknown or a file could not be copied out;
			    * NULL otherwise */
	struct bj_output out;
	struct bj_output err;
	uint64_t setup_us; /* until the program's first instruction */
	uint64_t run_us;   /* from there until its end */
	const struct bj_usage *usage;
	const struct bj_layer *layers;
	size_t n_layers;
	const struct bj_artifact *artifacts;
	size_t n_artifacts;
};

/* Runs a program in a fresh box and waits for its end.  argv ends in NULL; argv[0] is looked for
 * inside.  in may be NULL.
 *
 * 0: *ret says what happened, also if the program failed, was killed or does not exist; end it with
 * bj_result_free().  -1: nothing ran and it is not the program's fault; *ret is untouched. */
int bj_run(struct bj_box *box, const char *const argv[], const struct bj_input *in,
	   struct bj_result **ret);
/* The same for code in "python", "node" or "bash". */
int bj_run_code(struct bj_box *box, const char *language, const char *code,
		const struct bj_input *in, struct bj_result **ret);

/* Kills the call that runs now, which ends as BJ_KILL_CANCELLED; nothing happens if none does.
 * Safe in other threads and in signal handlers for as long as the box exists. */
void bj_cancel(struct bj_box *box);

/* The account as one JSON object (belljar-run(1), ACCOUNT).  It belongs to the result; NULL without
 * memory. */
const char *bj_result_json(struct bj_result *result);
void bj_result_free(struct bj_result *result);

#ifdef __cplusplus
}
#endif

#endif
