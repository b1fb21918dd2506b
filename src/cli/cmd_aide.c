/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_aide.c - belljar-gate aide: reads the policy for a belljar run, and cleans what it prints.
 *
 * It gets bytes that a hostile program wrote.  So before the first of them it gives up what it does
 * not need any more: files, privileges, and every system call but a few.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "cli/aideseal.h"
#include "cli/cli.h"
#include "cli/gatecli.h"
#include "gate/runset.h"
#include "oneshot/aidetalk.h"
#include "policy/judgerun.h"

enum { COUNTS_MAX = 512 };

struct helper {
	const char *file; /* the policy's; NULL: the standard rules, and nothing is read */
	struct policy *policy;
	struct redact_means means;
	struct redact_set *set;
	struct redactor *redactors[AIDE_STREAMS];
	bool sealed, failed;
};

static bool say(enum aide_kind kind, const void *data, size_t len)
{
	struct aide_head head = {.magic = AIDE_MAGIC, .kind = (uint16_t)kind, .len = (uint32_t)len};
	struct iovec pieces[] = {{&head, sizeof(head)}, {(void *)(uintptr_t)data, len}};
	struct msghdr message = {.msg_iov = pieces, .msg_iovlen = ARRAY_LEN(pieces)};
	ssize_t n;

	do
		n = sendmsg(AIDE_FD, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)(sizeof(head) + len);
}

/* What could not be said is not half said: then nobody is told that it is done. */
static void say_clean(void *context, const char *data, size_t len)
{
	struct helper *h = context;

	while (len > 0 && !h->failed) {
		size_t piece = len < AIDE_BYTES ? len : AIDE_BYTES;

		h->failed = !say(AIDE_TEXT, data, piece);
		data += piece;
		len -= piece;
	}
}

static bool say_failure(const struct error *err)
{
	(void)say(AIDE_FAILED, err, sizeof(*err));
	return false;
}

/* The first complaint; belljar policy check has all of them. */
static int load(struct helper *h, struct error *err)
{
	struct complaints *c = calloc(1, sizeof(*c));
	int result = 0;

	if (!c)
		return fail_sys(err, "read the policy");
	h->policy = cli_load(h->file, NULL, &h->means, c);
	if (!h->policy && c->n && cli_names_file(&c->list[0]))
		result =
			fail(err, ERR_CONFIG, "the policy cannot be used: %.200s", c->list[0].text);
	else if (!h->policy)
		result = fail(err, ERR_CONFIG,
			      "the policy cannot be used: %.100s:%u:%u: %.100s (belljar policy "
			      "check says more)",
			      c->n && c->list[0].place.file ? c->list[0].place.file : "policy",
			      c->n ? c->list[0].place.line : 0, c->n ? c->list[0].place.column : 0,
			      c->n ? c->list[0].text : "");
	free(c);
	return result;
}

static bool judge(struct helper *h, const struct run_ask *ask)
{
	struct run_rules rules;
	struct error err = {0};

	if (h->sealed)
		(void)fail(&err, ERR_INTERNAL, "the policy is asked before anything is cleaned");
	else if (!h->policy)
		(void)load(h, &err);
	if (err.kind != ERR_NONE)
		return say_failure(&err);
	policy_judge_run(h->policy, ask, &rules);
	return say(AIDE_RULES, &rules, sizeof(rules));
}

static int prepare(struct helper *h, struct error *err)
{
	if (h->set)
		return 0;
	h->set = run_redact_set(h->policy, &h->means, err);
	if (!h->set || redact_set_warm(h->set, err) < 0)
		return -1;
	for (size_t i = 0; i < AIDE_STREAMS; i++) {
		h->redactors[i] = redactor_new(h->set, say_clean, h, err);
		if (!h->redactors[i])
			return -1;
	}
	h->sealed = true;
	return aide_seal(err);
}

static bool clean(struct helper *h, const struct aide_message *m)
{
	struct error err = {0};
	struct redactor *r;

	if (prepare(h, &err) < 0)
		return say_failure(&err);
	r = h->redactors[m->head.stream];
	redactor_feed(r, m->text, m->head.len);
	if (m->head.end) {
		redactor_finish(r);
		redactor_reset(r);
	}
	return !h->failed && say(AIDE_DONE, NULL, 0);
}

static bool count(const struct helper *h)
{
	struct redact_count rows[COUNTS_MAX], more[COUNTS_MAX];
	size_t n = 0;

	for (size_t i = 0; h->set && i < AIDE_WORDS; i++) {
		size_t found = redactor_counts(h->redactors[i], more, COUNTS_MAX);

		for (size_t k = 0; k < found && k < COUNTS_MAX; k++) {
			size_t at = 0;

			while (at < n && strcmp(rows[at].id, more[k].id) != 0)
				at++;
			if (at == n && n < COUNTS_MAX)
				rows[n++] = (struct redact_count){more[k].id, 0};
			if (at < n)
				rows[at].count += more[k].count;
		}
	}
	for (size_t i = 0; i < n; i++) {
		struct aide_count one = {.count = rows[i].count};

		(void)snprintf(one.id, sizeof(one.id), "%s", rows[i].id);
		if (one.count && !say(AIDE_COUNTED, &one, sizeof(one)))
			return false;
	}
	return say(AIDE_DONE, NULL, 0);
}

static bool serve(struct helper *h, struct aide_message *m)
{
	ssize_t n;

	do
		n = recv(AIDE_FD, m, sizeof(*m), MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n < 0 || !aide_check_request(m, (size_t)n))
		return false;
	if (m->head.kind == AIDE_JUDGE)
		return judge(h, &m->ask);
	return m->head.kind == AIDE_CLEAN ? clean(h, m) : count(h);
}

int cmd_aide(int argc, char **argv)
{
	static struct aide_message message;
	static struct helper h;

	/* What whoever started belljar had open is not for us. */
	if (close_range(AIDE_FD + 1, ~0U, 0) < 0)
		return EXIT_BELLJAR;
	h.file = argc > 1 ? argv[1] : NULL;
	while (serve(&h, &message))
		continue;
	return 0; /* whoever asked is gone, and all of it with us */
}
