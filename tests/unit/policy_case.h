/* SPDX-License-Identifier: Apache-2.0 */
/* policy_case.h - a policy and a call as text, for tests of what judges them. */
#ifndef TESTS_POLICY_CASE_H
#define TESTS_POLICY_CASE_H

#include "base/jsonread.h"
#include "base/own.h"
#include "policy/judge.h"
#include "tap.h"

/* One that must be well. */
static inline struct policy *policy_of(const char *text)
{
	static struct complaints complaints;
	struct policy *p;

	complaints = (struct complaints){0};
	p = policy_parse("test.yaml", text, strlen(text), &complaints);
	for (size_t i = 0; i < complaints.n; i++)
		printf("# %u:%u: %s: %s\n", complaints.list[i].place.line,
		       complaints.list[i].place.column, complaints.list[i].path,
		       complaints.list[i].text);
	if (!p)
		exit(1);
	return p;
}

static inline json_t *json_of(const char *text)
{
	struct error err = {0};
	json_t *value = jsonread(text, strlen(text), 1 << 20, &err);

	if (!value) {
		printf("# %s: %s\n", text, err.text);
		exit(1);
	}
	return value;
}

#endif
