/* SPDX-License-Identifier: Apache-2.0 */
/* redact_set.c - what is looked for: rules by group, the owner's rules, known values.
 *
 * Making one is cheap: databases are loaded, and patterns for exact spans compiled, when text
 * needs them.  A call that prints nothing pays for neither.
 */
#include "redact/redact_set.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "redact/phrases.h"
#include "redact/places.h"

enum {
	STEPS_MAX = 50000,      /* per search: a line of 128 KiB needs fewer */
	HEAP_KIB_MAX = 4 << 10, /* */
	ID_MAX = 128,           /* */
	OWN_MAX = 256,          /* */
	LOOSE = 256,            /* a find that begins within its match: so far before it */
	JIT_AFTER = 64,         /* uses: for less it is not worth its making */
	JIT_BYTES = 512,        /* in which many may begin are as much as one more */
};

static int label_entry(struct entry *e, const char *kind, const char *id, struct error *err)
{
	e->label_len = 0;
	if (asprintf(&e->label, "[REDACTED:%s%s]", kind, id) < 0) {
		e->label = NULL;
		return fail_sys(err, "name a rule");
	}
	e->label_len = strlen(e->label);
	e->id = strndup(e->label + strlen("[REDACTED:"), e->label_len - strlen("[REDACTED:") - 1);
	return e->id ? 0 : fail_sys(err, "name a rule");
}

static int check_id(const char *id, struct error *err)
{
	size_t len = strlen(id);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)id[i]) && !strchr("-_.", id[i]))
			return fail(err, ERR_CONFIG,
				    "name '%s': only letters, digits, '-', '_' and '.'", id);
	if (len == 0 || len > ID_MAX)
		return fail(err, ERR_CONFIG, "a name has 1 to %d characters", ID_MAX);
	return 0;
}

static int add_rules(struct redact_set *set, unsigned groups, struct error *err)
{
	for (size_t i = 0; i < HAND_COUNT; i++)
		set->hand[i] = set->n;
	for (size_t i = 0; i < set->n_rules; i++) {
		struct entry *e = &set->entries[i];

		e->rule = redact_rule_at(i);
		e->wanted = (e->rule->group & groups) != 0;
		if (e->wanted && label_entry(e, "", e->rule->id, err) < 0)
			return -1;
		if (e->wanted && e->rule->hand)
			set->hand[e->rule->hand] = i;
		if (e->rule->hand == HAND_HOME || e->rule->hand == HAND_TEMP)
			e->reach = PLACES_REACH;
		if (e->rule->hand >= HAND_PRIVATE_KEY)
			e->reach = PHRASES_REACH;
	}
	set->db_wanted[0] = (groups & REDACT_STANDARD) != 0;
	set->db_wanted[1] = (groups & REDACT_ALL & ~(unsigned)REDACT_STANDARD) != 0;
	return 0;
}

static int add_own(struct redact_set *set, const struct redact_config *c, struct error *err)
{
	const char *finds[OWN_MAX];

	if (c->n_own > OWN_MAX)
		return fail(err, ERR_CONFIG, "more than %d redaction rules", OWN_MAX);
	for (size_t i = 0; i < c->n_own; i++) {
		struct entry *e = &set->entries[set->first_own + i];

		if (check_id(c->own[i].id, err) < 0 || label_entry(e, "", c->own[i].id, err) < 0)
			return fail_in(err, "redaction rule %zu", i + 1);
		e->pattern = strdup(c->own[i].pattern);
		e->wanted = true;
		finds[i] = c->own[i].pattern;
		if (!e->pattern)
			return fail_sys(err, "keep a rule");
		if (!set_code(set, set->first_own + i, 0))
			return fail(err, ERR_CONFIG, "redaction rule '%s': not a pattern",
				    c->own[i].id);
	}
	if (c->n_own == 0)
		return 0;
	set->db_wanted[SET_DATABASES - 1] = true;
	return patterns_own(c->helper, c->cache, finds, c->n_own, &set->db[SET_DATABASES - 1], err);
}

static int add_known(struct redact_set *set, const struct redact_config *c, struct error *err)
{
	for (size_t i = 0; i < c->n_known; i++) {
		struct entry *e = &set->entries[set->first_known + i];

		if (check_id(c->known[i].name, err) < 0 ||
		    label_entry(e, "secret:", c->known[i].name, err) < 0)
			return fail_in(err, "secret %zu", i + 1);
		e->wanted = true;
		e->canary = c->known[i].canary;
	}
	if (c->n_known == 0)
		return 0;
	set->known = known_new(c->known, c->n_known, err);
	return set->known ? 0 : -1;
}

static int fill(struct redact_set *set, const struct redact_config *c, struct error *err)
{
	set->n_rules = set->first_own = redact_rule_count();
	set->first_known = set->first_own + c->n_own;
	set->limit = set->first_known + c->n_known;
	set->n = set->limit + 1;
	set->entries = calloc(set->n, sizeof(*set->entries));
	set->match = pcre2_match_data_create(8, NULL);
	set->limits = pcre2_match_context_create(NULL);
	if (!set->entries || !set->match || !set->limits)
		return fail_sys(err, "make a redaction set");
	(void)pcre2_set_match_limit(set->limits, STEPS_MAX);
	(void)pcre2_set_heap_limit(set->limits, HEAP_KIB_MAX);
	if (label_entry(&set->entries[set->limit], "", "limit", err) < 0 ||
	    add_rules(set, c->groups, err) < 0 || add_own(set, c, err) < 0)
		return -1;
	return add_known(set, c, err);
}

struct redact_set *redact_set_new(const struct redact_config *config, struct error *err)
{
	struct redact_set *set = calloc(1, sizeof(*set));

	if (!set) {
		(void)fail_sys(err, "make a redaction set");
		return NULL;
	}
	if (fill(set, config, err) == 0)
		return set;
	redact_set_free(set);
	return NULL;
}

void redact_set_free(struct redact_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; set->entries && i < set->n; i++) {
		free(set->entries[i].label);
		free(set->entries[i].id);
		free(set->entries[i].pattern);
		pcre2_code_free(set->entries[i].code);
	}
	free(set->entries);
	known_free(set->known);
	for (size_t i = 0; i < SET_DATABASES; i++)
		patterns_done(&set->db[i]);
	(void)hs_free_scratch(set->scratch);
	pcre2_match_data_free(set->match);
	pcre2_match_context_free(set->limits);
	free(set);
}

void redact_set_end(struct redact_set **set)
{
	redact_set_free(*set);
}

static void set_reach(struct redact_set *set, size_t db)
{
	for (unsigned id = 0; id < set->db[db].n; id++) {
		struct entry *e = &set->entries[set_entry_of(set, db, id)];
		uint32_t width = set->db[db].width[id];

		if (width == 0) /* not in this one */
			continue;
		e->reach = width;
		if (width < UINT32_MAX - LOOSE && e->rule && e->rule->find)
			e->reach += LOOSE;
	}
}

/* The tables were made together with this file; whoever links others has no redaction. */
static int warm_tables(struct redact_set *set, struct error *err)
{
	if (!set->db_wanted[0])
		return 0;
	if ((size_t)(near_names_end - near_names_start) != sizeof(*set->names) ||
	    (size_t)(anchor_forms_end - anchor_forms_start) != sizeof(*set->anchors) ||
	    (size_t)(start_words_end - start_words_start) != sizeof(*set->starts))
		return fail(err, ERR_INTERNAL, "the tables of words are not those that are wanted");
	set->names = (const struct nearnames *)(const void *)near_names_start;
	set->anchors = (const struct anchors *)(const void *)anchor_forms_start;
	set->starts = (const struct starts *)(const void *)start_words_start;
	for (size_t i = 0; i < set->starts->n; i++)
		set->entries[set->starts->words[i].entry].reach = STARTS_REACH;
	for (size_t i = 0; i < set->names->n_words; i++)
		set->entries[set->names->words[i].entry].reach = NEARNAMES_REACH;
	for (size_t i = 0; i < set->anchors->n; i++) {
		const struct anchor *one = &set->anchors->anchors[i];
		uint32_t *reach = &set->entries[one->entry].reach;

		*reach = *reach > one->before + 1u ? *reach : one->before + 1u;
	}
	return 0;
}

int redact_set_warm(struct redact_set *set, struct error *err)
{
	static const struct {
		const char *start, *end;
	} built_in[] = {
		{patterns_standard_start, patterns_standard_end}, /* */
		{patterns_personal_start, patterns_personal_end}, /* */
	};

	if (set->warm)
		return 0;
	for (size_t i = 0; i < SET_DATABASES; i++) {
		if (!set->db_wanted[i])
			continue;
		if (!set->db[i].width &&
		    patterns_load(built_in[i].start, (size_t)(built_in[i].end - built_in[i].start),
				  0, &set->db[i], err) < 0)
			return -1;
		if (set->db[i].db && hs_alloc_scratch(set->db[i].db, &set->scratch) != HS_SUCCESS)
			return fail(err, ERR_SYSTEM, "allocate room for matching");
		set_reach(set, i);
	}
	set->warm = warm_tables(set, err) == 0;
	return set->warm ? 0 : -1;
}

static pcre2_code *compile(const char *pattern)
{
	PCRE2_SIZE at = 0;
	int why = 0;

	return pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
			     PCRE2_USE_OFFSET_LIMIT | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP |
				     PCRE2_NEVER_BACKSLASH_C,
			     &why, &at, NULL);
}

/* \b, or behind what starts.c takes for the end of a word: "\\n" and "%20" as text.  Without it a
 * search from one beginning to the next could take what is none, and with it the next one's. */
static pcre2_code *compile_begin(const char *pattern)
{
	own_str whole = NULL;

	if (strncmp(pattern, "\\b", 2) != 0)
		return compile(pattern);
	if (asprintf(&whole, "(?:\\b|(?<=\\\\[ntr])|(?<=%%[0-9A-Fa-f]{2}))%s", pattern + 2) < 0) {
		whole = NULL;
		return NULL;
	}
	return compile(whole);
}

const pcre2_code *set_code(struct redact_set *set, size_t i, size_t bytes)
{
	struct entry *e = &set->entries[i];

	if (!e->code && !e->broken) {
		const char *pattern = e->rule ? e->rule->pattern : e->pattern;

		e->code = e->rule && e->rule->begins ? compile_begin(pattern) : compile(pattern);
		e->broken = !e->code;
		if (e->code)
			(void)pcre2_pattern_info(e->code, PCRE2_INFO_MINLENGTH, &e->least);
	}
	/* Where memory may not be executable this fails, and the interpreter goes on. */
	e->uses += 1 + bytes / JIT_BYTES;
	if (e->uses >= JIT_AFTER && e->rule && e->code && !e->fast) {
		(void)pcre2_jit_compile(e->code, PCRE2_JIT_COMPLETE);
		e->fast = true;
	}
	return e->code;
}

struct tail set_tail(struct redact_set *set, size_t i)
{
	struct entry *e = &set->entries[i];

	if (!e->tail.known && e->rule)
		e->tail = tail_read(&set->tails, e->rule->pattern);
	return e->tail;
}
