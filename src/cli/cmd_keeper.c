/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_keeper.c - belljar-gate keeper: serves the calls that the front of the service hands on.
 *
 * Not for people: belljar serve starts it, with its sockets as descriptors.  As
 * belljar-gate nursery it makes keepers of sessions, which have that from the
 * one who asks for them.
 */
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/own.h"
#include "base/pages.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/gatecli.h"
#include "keeper/keeper.h"
#include "keeper/keeptemplate.h"
#include "keeper/nursery.h"
#include "lib/wardentalk.h"

struct words_of_keeper {
	const char *front, *warden, *policy, *expect, *state, *audit, *helper, *control;
	bool session, warm_node;
};

#define AT(member) offsetof(struct words_of_keeper, member)
static const struct word_row rows[] = {
	{"front", "FD", WORD_TEXT, AT(front), "the socket of the front"},
	{"warden", "FD", WORD_TEXT, AT(warden), "the socket of the warden"},
	{"policy", "FILE", WORD_TEXT, AT(policy), "the policy"},
	{"expect-sha256", "HEX", WORD_TEXT, AT(expect), "what it must be"},
	{"state", "DIR", WORD_TEXT, AT(state), "where rates and budgets are kept"},
	{"audit", "DIR", WORD_TEXT, AT(audit), "where the log of calls is kept"},
	{"warm-node", NULL, WORD_FLAG, AT(warm_node), "node may wait for calls here"},
	{"helper", "PROGRAM", WORD_TEXT, AT(helper), "instead of a warden: belljar"},
	{"control", "FD", WORD_TEXT, AT(control), "of a nursery: who asks for keepers"},
	{"session", NULL, WORD_FLAG, AT(session), "for a session, and for no call"},
	{0},
};
#undef AT

static int take_socket(const char *option, const char *text, int *ret, struct error *err)
{
	int kind = 0;
	socklen_t len = sizeof(kind);
	uint64_t fd;

	if (!text || text_parse_uint(text, &fd, err) < 0 || fd < 3 || fd > INT_MAX)
		return fail(err, ERR_CALLER, "%s: give the number of a socket", option);
	if (getsockopt((int)fd, SOL_SOCKET, SO_TYPE, &kind, &len) < 0 || kind != SOCK_SEQPACKET)
		return fail(err, ERR_CALLER, "%s %s is no socket for messages", option, text);
	if (fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0)
		return fail_sys(err, "%s", option);
	*ret = (int)fd;
	return 0;
}

static int take_sockets(const struct words_of_keeper *w, struct keeper_options *ret,
			int *ret_control, struct error *err)
{
	if (*ret_control >= 0)
		return take_socket("--control", w->control, ret_control, err);
	if (take_socket("--front", w->front, &ret->front, err) < 0)
		return -1;
	return w->warden ? take_socket("--warden", w->warden, &ret->warden, err) : 0;
}

/* ret_control: >= 0 for a nursery, and then its socket. */
static int read_words(char **argv, struct keeper_options *ret, int *ret_control, struct error *err)
{
	struct words_of_keeper w = {0};
	struct word_list rest = {0};

	if (words_parse(rows, argv, &w, &rest, err) < 0)
		return -1;
	if (rest.n || (*ret_control < 0 && !w.warden == !w.helper))
		return fail(err, ERR_CALLER, "belljar-gate keeper is started by belljar serve");
	*ret = (struct keeper_options){
		.warden = -1,
		.template = -1,
		.policy = w.policy,
		.expect_sha256 = w.expect,
		.state = w.state,
		.audit = w.audit,
		.helper = w.helper,
		.session = w.session,
		.warm_node = w.warm_node,
	};
	return take_sockets(&w, ret, ret_control, err);
}

/* What one call gave back, the next one wants: giving it to the kernel and getting it again page by
 * page costs more than the call's own work. */
static void keep_memory(void)
{
	(void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
	(void)mallopt(M_MMAP_THRESHOLD, 16 << 20);
	(void)mallopt(M_TOP_PAD, 4 << 20);
}

/* Whoever lists processes sees what it is now. */
static void rename_ourselves(char *word, const char *name)
{
	if (strlen(word) >= strlen(name))
		memcpy(word, name, strlen(name) + 1);
}

static int keep(const struct keeper_options *o, struct policy *policy,
		const struct redact_means *means)
{
	struct error err = {0};
	own(pages) room = {pages_new(sizeof(struct keeper)), sizeof(struct keeper)};
	struct keeper *k = room.room;
	int code = 0;

	if (!k)
		return (void)fail_sys(&err, "room for a keeper"), cli_complain(&err);
	if (keeper_open(k, o, policy, means, &err) < 0 ||
	    (o->makes_template && template_make(k, &err) < 0))
		code = cli_complain(&err);
	else if (!o->makes_template)
		keeper_serve(k);
	if (code == 0 && k->wardenless)
		code = WARDEN_LOST;
	keeper_close(k);
	return code;
}

/* Without one sessions are as safe and as quick, and take more memory while they sleep: that is
 * said, and they go on. */
static struct imprint *take_imprint(void)
{
	static struct imprint imprint; /* the copies keep it */
	struct error err = {0};

	if (imprint_take(&imprint, &err) == 0)
		return &imprint;
	(void)fail_in(&err, "keepers of sessions keep all their memory while they sleep");
	(void)cli_complain(&err);
	return NULL;
}

/* Everything that one session's keeper has in common with the next, and then keepers. */
static int serve_copies(struct keeper_options *o, int control, struct policy *policy,
			const struct redact_means *means, char *name)
{
	static struct toolkit kit; /* the copies keep it */
	struct error err = {0};
	enum nursery_wants wants = NURSERY_KEEPER;
	int fds[NURSERY_FDS], came = -1;

	if (toolkit_open(&kit, policy, means, &err) == 0) {
		toolkit_warm(&kit);
		/* What a copy allocates lies behind what is shared, not in its gaps. */
		(void)malloc_trim(0);
		o->imprint = take_imprint();
		came = nursery_serve(control, fds, &wants, &err);
	}
	if (came == 1) {
		rename_ourselves(name, wants == NURSERY_MAKER ? "maker" : "keeper");
		o->front = fds[NURSERY_FRONT];
		o->warden = fds[NURSERY_WARDEN];
		o->template = fds[NURSERY_TEMPLATE];
		o->makes_template = wants == NURSERY_MAKER;
		o->session = true;
		o->toolkit = &kit;
		return keep(o, policy, means);
	}
	toolkit_close(&kit);
	return came < 0 ? cli_complain(&err) : 0;
}

int cmd_keeper(int argc, char **argv)
{
	int control = strcmp(argv[0], "nursery") == 0 ? 0 : -1;
	struct keeper_options o;
	own_policy policy = NULL;
	struct redact_means means;
	struct error err = {0};

	(void)argc;
	if (read_words(argv, &o, &control, &err) < 0)
		return cli_complain(&err);
	keep_memory();
	policy = cli_load_policy(o.policy, o.state, &means, NULL);
	if (!policy)
		return EXIT_BELLJAR;
	return control < 0 ? keep(&o, policy, &means)
			   : serve_copies(&o, control, policy, &means, argv[0]);
}
