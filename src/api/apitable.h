/* SPDX-License-Identifier: Apache-2.0 */
/* apitable.h - the objects of the API as rows: what is checked, published and generated is one.
 *
 * An object is a list of fields.  Whoever takes a body checks it by the rows;
 * the JSON Schema in /openapi.json is written from the same rows, and so are
 * clients.
 */
#ifndef API_APITABLE_H
#define API_APITABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum api_type {
	API_NONE = 0,
	API_STRING,   /* min, max: characters */
	API_BASE64,   /* a string; min, max: bytes that it stands for */
	API_DURATION, /* "30s", "500ms", "2m"; or milliseconds as an integer */
	API_SIZE,     /* "64k", "256M"; or bytes as an integer */
	API_SIGNAL,   /* "TERM" or 15 */
	API_INTEGER,  /* min, max: its value */
	API_NUMBER,
	API_BOOLEAN,
	API_TIME,   /* RFC 3339 */
	API_OBJECT, /* of: which */
	API_MAP,    /* an object of names and strings; max: how many */
	API_FREE,   /* an object that somebody else judges: a tool's arguments */
	API_ANY,
	API_LIST, /* items, of; min, max: how many */
	API_TYPE_COUNT
};

struct api_field {
	const char *name;
	enum api_type type;
	enum api_type items; /* API_LIST */
	const char *of;      /* API_OBJECT, or a list of them: the object's name */
	bool required;       /* of an answer: always there */
	bool nullable;
	uint64_t min, max;
	uint64_t item_max;        /* API_LIST of strings, API_MAP: characters of each */
	const char *const *words; /* NULL-terminated: one of these; NULL: any */
	const char *help;
	const char *example; /* as JSON */
};

/* Fields of which one at most may be there. */
struct api_choice {
	const char *const *names; /* NULL-terminated */
	bool one;                 /* and one must be */
};

/* A member that people look for here and that belongs elsewhere. */
struct api_elsewhere {
	const char *name; /* NULL: that was the last row */
	const char *where;
};

struct api_object {
	const char *name;
	const char *help;
	const struct api_field *fields;
	size_t n_fields;
	struct api_choice choice;
	bool open;                             /* an answer: there may be more than the rows say */
	const struct api_elsewhere *elsewhere; /* NULL: nothing is known of any */
};

/* Every object there is, by number; NULL behind the last. */
const struct api_object *api_object_at(size_t i);
/* NULL: there is none of that name. */
const struct api_object *api_object(const char *name);

/* A thing that is wrong with a body. */
struct api_problem {
	char pointer[160]; /* RFC 6901; "" is the whole */
	char detail[240];
};

enum { API_PROBLEMS_MAX = 16 };

struct api_problems {
	struct api_problem list[API_PROBLEMS_MAX];
	size_t n;
	bool cut; /* there are more */
};

/* In the beginning; the list, which is long, is not touched for that. */
void api_no_problems(struct api_problems *p);
void api_complain(struct api_problems *p, const char *pointer, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Is it such an object?  Every problem that there is goes to ret, up to its room. */
bool api_check(const struct api_object *o, const json_t *value, struct api_problems *ret);

/* As JSON Schema 2020-12; other objects are "#/components/schemas/NAME".  NULL: no memory. */
json_t *api_schema(const struct api_object *o);
/* What a value of this field must be, in words: "a string of 1 to 128 characters". */
void api_expects(const struct api_field *f, char *ret, size_t room);

#endif
