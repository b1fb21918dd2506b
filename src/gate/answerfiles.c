/* SPDX-License-Identifier: Apache-2.0 */
/* answerfiles.c - the files of an answer, and their names, before anybody sees them. */
#include "gate/answerfiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/tree.h"
#include "base/own.h"
#include "gate/fileclean.h"

static void drop_content(struct artifact *a)
{
	free(a->content);
	a->content = NULL;
	a->content_len = 0;
}

/* A file comes out as output does: without what must not be told, or not at all. */
static int clean_artifact(struct passage *p, struct artifact *a, struct error *err)
{
	struct artifact_judged judged;
	struct hash hash;
	own(buf) cleaned;

	buf_init(&cleaned, 16 * a->content_len + 4096);
	if (artifact_clean(p->redaction.set, a->content, a->content_len, &cleaned, &judged, err) <
	    0)
		return -1;
	if (judged.verdict == ARTIFACT_SAME)
		return 0;
	memcpy(a->refused, judged.why, sizeof(a->refused));
	drop_content(a);
	if (judged.verdict != ARTIFACT_CLEANED)
		return 0;
	a->redacted = true;
	a->size = a->content_len = cleaned.len;
	a->content = TAKE(cleaned.data);
	hash_bytes(a->content ? a->content : "", a->content_len, &hash);
	hash_hex(&hash, a->sha256);
	return 0;
}

/* The program chose it: it is told as output is, and what it names then stays inside. */
static int clean_name(struct passage *p, struct artifact *a, struct error *err)
{
	size_t len;
	char *name;

	if (!p->redaction.set)
		return 0;
	name = redact_text(p->redaction.set, a->name, strlen(a->name), &len, err);
	if (!name)
		return -1;
	if (strcmp(name, a->name) != 0) {
		drop_content(a);
		(void)snprintf(a->refused, sizeof(a->refused),
			       "its name has something in it that is redacted");
	}
	free(a->name);
	a->name = name;
	return 0;
}

void files_clean(struct passage *p)
{
	for (size_t i = 0; i < p->account.n_artifacts; i++) {
		struct artifact *a = &p->account.artifacts[i];
		struct error err = {0};

		if (clean_name(p, a, &err) < 0)
			a->name[0] = '\0';
		else if (!a->content || clean_artifact(p, a, &err) == 0)
			continue;
		drop_content(a);
		(void)snprintf(a->refused, sizeof(a->refused), "it could not be redacted");
		if (p->trouble.kind == ERR_NONE)
			p->trouble = err;
	}
}
