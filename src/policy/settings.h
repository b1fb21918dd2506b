/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - a setting is one row: parser, checks, explanation, manual and JSON Schema are made
 * from it.
 *
 * A section is a struct and its rows.  The rows of sections.c are the whole
 * policy file; nothing else knows a key by name.
 */
#ifndef POLICY_SETTINGS_H
#define POLICY_SETTINGS_H

#include "policy/policy.h"

enum setting_type {
	SET_BOOL,   /* bool: true or false, nothing else */
	SET_COUNT,  /* uint64_t within min and max */
	SET_MS,     /* uint64_t: 30s, 500ms */
	SET_BYTES,  /* uint64_t: 256M */
	SET_TEXT,   /* const char *; min and max are its length; one of words, if there are any */
	SET_WORD,   /* an enum (int): the index of one of words */
	SET_EITHER, /* bool: the second of two words is true */
	SET_TEXTS, /* struct words; min and max are how many; each one of words, if there are any */
	SET_VALUE, /* json_t *: any value; what is not JSON without quotes needs them */
	SET_SECTION, /* a struct in place */
	SET_POINTER, /* a pointer to a struct: allocated when it is written */
	SET_NAMED,   /* a map from names to structs: pointer and count */
	SET_LIST,    /* a list of structs: pointer and count */
	SET_OWN,     /* read by a function of its own: rates, limits, mounts, env, uids */
	SETTING_TYPE_COUNT
};

struct section;
struct reader; /* settings.c: what the reading functions share */
struct node;   /* yamltree.h: one value of the file, with its place */

struct setting {
	const char *key;
	enum setting_type type;
	size_t offset;       /* in the section's struct */
	size_t count_offset; /* SET_NAMED, SET_LIST: of the size_t */
	bool required;
	bool main_only;                /* not in included files and drop-ins */
	uint64_t min, max;             /* SET_NAMED, SET_LIST: max is how many */
	const char *standard;          /* as it would be written; NULL: none */
	const char *const *words;      /* SET_WORD: NULL-terminated; words[0] NULL: no such value */
	const struct section *section; /* SET_SECTION, SET_POINTER, SET_NAMED, SET_LIST */
	/* SET_OWN: fills in the member at target; complains through r (reader.h). */
	void (*read)(struct reader *r, const struct node *n, void *target);
	const char *form;    /* SET_OWN: its JSON Schema, as text */
	const char *example; /* as it would be written */
	const char *help;    /* one or more sentences; the manual's and --explain's words */
};

struct section {
	const char *name;  /* for the manual: "tool", "client", "argument" */
	const char *about; /* one sentence */
	const struct setting *rows;
	size_t n_rows;
	size_t size;         /* of the struct */
	size_t name_offset;  /* SET_NAMED: where the name goes (const char *) */
	size_t place_offset; /* of a struct place; SIZE_MAX: none */
	/* Before anything is read; the rows' standards are there already.  NULL: nothing to do. */
	void (*prepare)(struct reader *r, void *target);
	/* Afterwards: what rows cannot say one by one.  NULL: nothing to do. */
	void (*finish)(struct reader *r, const struct node *n, void *target);
};

extern const struct section policy_section; /* the whole file */

/* "a whole number from 1 to 100", "a list of texts": what may stand there. */
void setting_expects(const struct setting *row, char *ret, size_t room);

/* The published JSON Schema of the file, for editors. */
int settings_schema(struct buf *out, struct error *err);
/* The SETTINGS part of belljar-policy(5), in mdoc. */
int settings_manual(struct buf *out, struct error *err);

#endif
