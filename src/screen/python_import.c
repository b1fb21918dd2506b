/* SPDX-License-Identifier: Apache-2.0 */
/* python_import.c - modules that are imported, and the list of those that may be. */
#include "screen/python_checks.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"

void py_found(struct py *p, enum py_rule rule, TSNode node)
{
	uint32_t at = ts_node_start_byte(node);

	sieve_add(p->sieve, &python_rows[rule], at, ts_node_end_byte(node) - at, NULL, NULL);
}

static void found_not_allowed(struct py *p, const char *module, TSNode node)
{
	char reason[256], hint[256];
	uint32_t at = ts_node_start_byte(node);

	screen_list_allowed(&p->sieve->rules->imports, hint, sizeof(hint));
	(void)snprintf(reason, sizeof(reason), "'%.100s' is not importable here", module);
	sieve_add(p->sieve, &python_rows[PY_IMPORT], at, ts_node_end_byte(node) - at, reason, hint);
}

static void check_own_imports(struct py *p, const char *module, TSNode node)
{
	const struct screen_policy *rules = p->sieve->rules;
	uint32_t at = ts_node_start_byte(node);

	for (size_t i = 0; i < rules->n_own; i++)
		if (strcmp(rules->own[i].language, "python") == 0 &&
		    words_cover(&rules->own[i].imports, module))
			sieve_add_own(p->sieve, &rules->own[i], at, ts_node_end_byte(node) - at);
}

void py_check_module(struct py *p, const char *module, TSNode node)
{
	const struct screen_policy *rules = p->sieve->rules;
	enum py_rule rule;
	unsigned group;

	check_own_imports(p, module, node);
	if (rules->has_imports) {
		/* What the owner lists is wanted: no other rule speaks against importing it. */
		if (!words_cover(&rules->imports, module) && strcmp(module, "__future__") != 0)
			found_not_allowed(p, module, node);
		return;
	}
	if (py_rule_for_import(module, &rule, &group) && !p->seen[group]) {
		p->seen[group] = 1;
		py_found(p, rule, node);
	}
}

void py_check_module_use(struct py *p, const char *name, TSNode node)
{
	enum py_rule rule;
	unsigned group;

	if (py_is_powerful(name) ||
	    (py_rule_for_import(name, &rule, &group) && py_is_import_row(group, name)))
		py_check_module(p, name, node);
}

static void check_plain(struct py *p, TSNode node)
{
	uint32_t n;
	const TSNode *kids = py_children(p, node, &n);

	for (uint32_t i = 0; i < n; i++) {
		TSNode child = kids[i];
		TSNode name =
			py_kind(child) == PY_aliased_import ? py_field(child, PY_F_name) : child;
		const char *module = py_kind(name) == PY_dotted_name ? py_dotted(p, name) : NULL;

		if (module)
			py_check_module(p, module, name);
	}
}

/* "from a import b": b may be a module or a member of a; both are asked about. */
static void check_member(struct py *p, const char *module, TSNode name)
{
	const char *member = py_dotted(p, name), *full, *behind;
	const struct screen_policy *rules = p->sieve->rules;
	struct visit v = {.node = name};

	if (!member)
		return;
	behind = py_module_behind(member);
	full = py_join(p, module, member);
	if (rules->has_imports && full && !words_cover(&rules->imports, module) &&
	    !words_cover(&rules->imports, full)) {
		found_not_allowed(p, module, name);
		return;
	}
	if (behind && strcmp(behind, module) != 0)
		py_check_module(p, behind, name);
	else if (full && !rules->has_imports)
		py_check_module(p, full, name);
	if (full)
		py_check_name(p, &v, full);
}

static bool all_members_allowed(struct py *p, const char *module, TSNode node, TSNode from)
{
	const struct words *imports = &p->sieve->rules->imports;
	uint32_t n;
	const TSNode *kids = py_children(p, node, &n);

	for (uint32_t i = 0; i < n; i++) {
		TSNode child = kids[i];
		TSNode name =
			py_kind(child) == PY_aliased_import ? py_field(child, PY_F_name) : child;
		const char *member, *full;

		if (ts_node_eq(child, from))
			continue;
		member = py_kind(name) == PY_dotted_name ? py_dotted(p, name) : NULL;
		full = member ? py_join(p, module, member) : NULL;
		if (!full || !words_cover(imports, full))
			return false;
	}
	return true;
}

static void check_from(struct py *p, TSNode node)
{
	TSNode from = py_field(node, PY_F_module_name);
	const char *module = py_kind(from) == PY_dotted_name ? py_dotted(p, from) : NULL;
	uint32_t n;
	const TSNode *kids = py_children(p, node, &n);

	if (!module) { /* relative: there is no package around a snippet */
		if (p->sieve->rules->has_imports)
			found_not_allowed(p, ".", node);
		module = "";
	} else if (!p->sieve->rules->has_imports || !all_members_allowed(p, module, node, from)) {
		py_check_module(p, module, from);
	}
	for (uint32_t i = 0; i < n; i++) {
		TSNode child = kids[i];
		TSNode name =
			py_kind(child) == PY_aliased_import ? py_field(child, PY_F_name) : child;

		if (!ts_node_eq(child, from) && py_kind(name) == PY_dotted_name)
			check_member(p, module, name);
	}
}

void py_check_import(struct py *p, TSNode node)
{
	if (py_kind(node) == PY_import_statement)
		check_plain(p, node);
	else
		check_from(p, node);
}
