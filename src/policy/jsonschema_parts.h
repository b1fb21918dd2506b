/* SPDX-License-Identifier: Apache-2.0 */
/* jsonschema_parts.h - what loading a schema makes and judging by it reads.
 *
 * A document is a tree of subschemas; each is a list of rules, one per keyword
 * that can refuse.  Everything but the patterns lies in the schema's arena.
 */
#ifndef POLICY_JSONSCHEMA_PARTS_H
#define POLICY_JSONSCHEMA_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "call/why.h"

struct match;
struct loading;
struct judging;
struct spot;
struct seen;
struct rule;

/* The kinds of values that a keyword says something about. */
enum {
	OF_NULL = 1,
	OF_BOOLEAN = 2,
	OF_NUMBER = 4,
	OF_STRING = 8,
	OF_LIST = 16,
	OF_OBJECT = 32,
	OF_ANY = 63,
	OF_WHOLE = 64, /* only in "type": a number without a fraction */
};

struct keyword {
	const char *name;
	/* Checks the keyword's value and fills in the rule. */
	int (*load)(struct loading *l, struct rule *r, const json_t *value, struct error *err);
	/* Does the value hold up?  NULL: the keyword never refuses by itself. */
	bool (*judge)(struct judging *j, const struct rule *r, const struct spot *at,
		      struct seen *seen);
	unsigned of;   /* OF_...: others pass */
	bool in_place; /* its subschemas look at the same value, not at a part of it */
};

/* A subschema with a URI of its own; the document is one too. */
struct resource {
	const char *uri; /* absolute, without fragment */
	struct subschema *root;
	struct resource *next;
};

struct anchor {
	const char *name;
	bool dynamic;
	struct resource *resource;
	struct subschema *schema;
	struct anchor *next;
};

struct subschema {
	const char *where; /* JSON pointer from the document's root */
	const json_t *json;
	struct resource *resource;
	bool never;         /* the schema false */
	bool unevaluated;   /* has unevaluatedItems or unevaluatedProperties */
	unsigned char walk; /* refs.c: looking for loops */
	struct rule *rules, **last_rule;
	struct subschema *next; /* in the order of loading */
};

/* One entry of properties, patternProperties or dependentSchemas. */
struct member {
	const char *name;
	struct match *match; /* patternProperties */
	struct subschema *schema;
};

struct rule {
	const struct keyword *keyword;
	struct subschema *owner;
	const json_t *value;  /* as written */
	uint64_t count;       /* maxLength...; prefixItems for items */
	uint64_t least, most; /* contains */
	unsigned kinds;       /* type */
	struct match *match;  /* pattern */
	const struct format *format;
	struct subschema *schema;   /* the one subschema; the target of a reference */
	struct subschema **schemas; /* allOf..., prefixItems; then and else for if */
	struct member *members;     /* by name */
	size_t n;
	const struct rule *properties, *patterns; /* additionalProperties: its siblings */
	const struct anchor *dynamic;             /* $dynamicRef: where to begin; NULL: as $ref */
	struct rule *next, *next_reference;
};

struct pattern {
	struct match *match;
	struct pattern *next;
};

struct jsonschema {
	struct arena arena;
	json_t *document;
	struct subschema *root;
	struct subschema *all, **last;
	size_t n_all;
	struct resource *resources;
	struct anchor *anchors;
	struct rule *references;
	struct pattern *patterns;
};

/* While loading. */
struct loading {
	struct jsonschema *schema;
	struct resource *resource; /* whose part is being read */
	unsigned depth;
};

enum {
	/* Subschemas within subschemas; a reference counts. */
	SCHEMA_DEPTH_MAX = 256,
};

extern const struct keyword keywords[];
const struct keyword *keyword_find(const char *name);

int load_subschema(struct loading *l, const json_t *json, const char *where,
		   struct subschema **ret_schema, struct error *err);
/* "/properties/x/maximum: " and what is wrong there. */
int load_fail(const struct rule *r, struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Of a list or member within the keyword's value. */
char *load_pointer(struct loading *l, const struct rule *r, const char *key, struct error *err);
/* The rule of a keyword of the same subschema that stands earlier in the table. */
const struct rule *load_sibling(const struct subschema *s, const char *keyword);

/* References: $id and anchors are noted while loading, looked up when all is loaded. */
int refs_id(struct loading *l, struct subschema *s, const json_t *id, struct error *err);
int refs_anchor(struct loading *l, struct rule *r, const json_t *value, bool dynamic,
		struct error *err);
int refs_resolve(struct jsonschema *schema, struct error *err);
/* RFC 3986, 5.2; the fragment (NULL: none) is cut off and its percent signs are decoded. */
int uri_resolve(struct arena *a, const char *base, const char *reference, const char **ret_uri,
		const char **ret_fragment, struct error *err);

/* The table's loaders. */
typedef int load_fn(struct loading *l, struct rule *r, const json_t *value, struct error *err);
load_fn load_any, load_text, load_flag, load_list, load_one, load_many, load_map, load_patterns;
load_fn load_type, load_enum, load_number, load_step, load_count, load_unique, load_pattern;
load_fn load_names, load_needs, load_format, load_if, load_then, load_contains, load_items;
load_fn load_additional, load_unevaluated, load_schema_uri, load_reference, load_anchor;
load_fn load_dynamic_anchor;

/* Where in the value, from the inside out. */
struct spot {
	const json_t *value;
	const struct spot *up; /* NULL: the whole */
	const char *key;       /* NULL: an item of a list */
	size_t index;
};

/* The resources on the way to here, from the inside out. */
struct scope {
	const struct resource *resource;
	const struct scope *up;
};

/* Which members or items somebody has looked at: what unevaluated... leaves out. */
struct seen {
	size_t n;
	uint64_t few;
	uint64_t *many; /* when there are more than 64 */
};

struct judging {
	const struct jsonschema *schema;
	const struct scope *scope;
	uint64_t steps;    /* left */
	uint64_t until_us; /* 0: no pattern was tried yet */
	unsigned depth;
	unsigned quiet;      /* a refusal here is not the caller's */
	bool explaining;     /* looking for the best reason, not for the answer */
	const char *stopped; /* judging was given up: the answer is no, whatever comes back */
	const char *prefix;
	struct why *why;
};

bool judge_subschema(struct judging *j, const struct subschema *s, const struct spot *at,
		     struct seen *seen);
/* false when there are not so many steps left; the judging is then over. */
bool judge_spend(struct judging *j, uint64_t steps);
bool judge_stop(struct judging *j, const char *why);
/* Does a part of the text match?  false too when the judging was given up. */
bool judge_matches(struct judging *j, const struct match *m, const char *text, size_t len);
/* Writes the refusal down unless it is quiet; returns false.  The place comes first. */
bool judge_refuse(struct judging *j, const struct rule *r, const struct spot *at, const char *fmt,
		  ...) __attribute__((format(printf, 4, 5)));
void judge_hint(struct judging *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "args/limit" */
void judge_place(const struct spot *at, char *ret_text, size_t room);
void seen_end(struct seen *seen); /* for own(seen) */
void seen_mark(struct seen *seen, size_t i);
bool seen_has(const struct seen *seen, size_t i);

/* The table's judges. */
typedef bool judge_fn(struct judging *j, const struct rule *r, const struct spot *at,
		      struct seen *seen);
judge_fn judge_type, judge_const, judge_enum, judge_multiple, judge_bound, judge_length;
judge_fn judge_pattern, judge_format, judge_items_count, judge_unique, judge_members_count;
judge_fn judge_required, judge_needs;
judge_fn judge_reference, judge_dynamic, judge_all, judge_any, judge_one, judge_not, judge_if;
judge_fn judge_dependents, judge_properties, judge_patterns, judge_additional, judge_names;
judge_fn judge_prefix, judge_items, judge_contains, judge_more_items, judge_more_members;

/* Values by what they mean: 1 is 1.0, the order of members is nothing.  Spends steps. */
bool values_equal(struct judging *j, const json_t *a, const json_t *b);
/* The first two equal items; false: there are none, or the judging was given up. */
bool values_repeat(struct judging *j, const json_t *list, size_t *ret_a, size_t *ret_b);

struct format {
	const char *name;
	bool (*check)(const char *text, size_t len);
	const char *example;
};
const struct format *format_find(const char *name);
extern const struct format formats[]; /* ends in one without a name */

#endif
