/* SPDX-License-Identifier: Apache-2.0 */
/* copy_work.h - between the files that write and read an image: where they keep it meanwhile. */
#ifndef WARM_COPY_WORK_H
#define WARM_COPY_WORK_H

#include <stdbool.h>
#include <sys/uio.h>

#include "warm/copy_image.h"

enum { COPY_PLACE = 64 };
enum { COPY_LIST_MAX = 8 << 20, COPY_PAGES_AT_ONCE = 8192 };

/* In pages of its own, which are no part of the image. */
struct copy_work {
	struct copy_head head;
	struct copy_map maps[COPY_MAPS_MAX];
	struct copy_map laid[COPY_MAPS_MAX]; /* of a template: in pieces */
	struct copy_file files[COPY_FILES_MAX];
	struct iovec runs[COPY_RUNS_MAX];
	struct iovec guards[COPY_GUARDS_MAX]; /* pages that nobody may touch */
	char texts[COPY_TEXTS_MAX];
	uint64_t pages[COPY_PAGES_AT_ONCE];
	char list[COPY_LIST_MAX + 1]; /* what /proc says */
	int stream;
	int template;           /* -1: none */
	uint64_t at;            /* of a template: where in it; 0: it is a stream */
	char place[COPY_PLACE]; /* the template that the process became, as lists say it */
	const char *env;
	uint64_t env_len;
	uint64_t view, view_len; /* no part of the image; 0: there is none */
	int also;                /* a descriptor that is closed before it is written; -1: none */
	bool only_looks;         /* changes nothing */
	bool whole;              /* the other side has another template, or none */
	bool has_guards;         /* the kernel does */
	int pagemap;
	uint64_t last_end; /* of the mapping before */
	char reason[COPY_REASON];
};

/* NULL: no memory.  Belongs to the process until copy_work_free(). */
struct copy_work *copy_work_new(void);
void copy_work_free(struct copy_work *w);
/* Both say why, and return false. */
bool copy_refuse(struct copy_work *w, const char *why, const char *which);
bool copy_refuse_number(struct copy_work *w, const char *why, long number);
/* Its place in the texts; 0: no room (reason is set). */
uint32_t copy_text(struct copy_work *w, const char *text);
bool copy_write_all(int fd, const void *data, size_t len);
bool copy_read_all(int fd, void *data, size_t len);

/* copy_maps.c: which memory there is, and what of it must be written. */
bool copy_take_maps(struct copy_work *w);
/* Only the kernel's own pages. */
bool copy_find_specials(struct copy_work *w);
/* copy_files.c: what is open, and where the process stands. */
bool copy_take_files(struct copy_work *w);
/* copy_state.c: signals, and what the C library has told the kernel. */
bool copy_take_state(struct copy_work *w);

/* What a woken copy finds of the process that became it. */
struct copy_woken {
	uint64_t plan; /* struct copy_plan */
	uint64_t here; /* 0: nobody was woken, this is the call itself */
};
/* copy_lay.c: the contents into a template, so that they can be mapped. */
bool copy_lay(struct copy_work *w);
/* The next bytes of a template. */
bool copy_put(struct copy_work *w, const void *data, size_t len);
/* copy_write.c: would that work? */
bool copy_check(struct copy_work *w);
/* What is left of it in the copy. */
struct copy_left {
	char *env; /* in pages of its own; NULL: none */
	uint64_t env_len;
	uint64_t view, view_len;
};
/* True in the copy, wherever and whenever that is; false: w->reason.  In the process
 * that is copied it ends the process once all is written. */
bool copy_write(struct copy_work *w, struct copy_left *ret);
void copy_left_free(struct copy_left *l);
/* In who becomes a template: what came as standard input is there, and that is empty. */
void copy_reopen(int there);
/* copy_rest.c: pages that are the same as in the template go back to it; how many, or -1: it
 * cannot be done now. */
long copy_rest(uint64_t view, uint64_t view_len);
/* Until there is something to read, or a signal came.  Who went on as an interpreter does would at
 * once write to what was given back. */
void copy_sleep(int fd);
/* copy_doze.c: both in one, and more thoroughly: what differs goes as well, and the kernel's
 * tables. false: it cannot be done now, and nothing happened. */
bool copy_doze(uint64_t view, uint64_t view_len, int fd);
/* copy_become.c: returns only if it could not: w->reason. */
void copy_become(struct copy_work *w);

#endif
