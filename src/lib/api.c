/* SPDX-License-Identifier: Apache-2.0 */
/* api.c - the bj_ functions: a box and its helper, one call after the other. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/sha256.h"
#include "belljar.h"
#include "call/language.h"
#include "cli/options.h"
#include "lib/remote.h"
#include "lib/result.h"
#include "sandbox/codefile.h"
#include "sandbox/native/copyin.h"

enum { HUSH_MS = 5 }; /* for so long nobody reads what nobody listens to */

#define EXPORT __attribute__((visibility("default")))

struct bj_box {
	struct run_options options;
	char *helper; /* NULL: the installed one */
	struct remote remote;
	bool stale;    /* permissions changed since the helper was started */
	int null_fd;   /* what a program without input reads; -1: opened for each call */
	int cancel_fd; /* eventfd; the only member that other threads touch */
	pid_t owner;   /* a forked child has the box's memory, but not the box */
	struct error error;
};

/* Lists and words of one call. */
struct call {
	struct request request;
	char **env_own; /* the caller's and the box's */
	char **env;
	struct codefile file;
};

EXPORT const char *bj_version(void)
{
	return BELLJAR_VERSION;
}

EXPORT struct bj_box *bj_box_new(void)
{
	struct bj_box *box = calloc(1, sizeof(*box));

	if (!box)
		return NULL;
	options_init(&box->options);
	remote_init(&box->remote);
	box->owner = getpid();
	box->null_fd = fd_lift(open("/dev/null", O_RDONLY | O_CLOEXEC));
	box->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (box->cancel_fd < 0) {
		bj_box_free(box);
		return NULL;
	}
	sha256_be_guest();
	return box;
}

EXPORT void bj_box_free(struct bj_box *box)
{
	int saved = errno;

	if (!box)
		return;
	if (box->owner == getpid())
		remote_close(&box->remote);
	else
		remote_end(&box->remote);
	own_fd_end(&box->cancel_fd);
	own_fd_end(&box->null_fd);
	options_done(&box->options);
	free(box->helper);
	free(box);
	errno = saved;
}

EXPORT const char *bj_error(const struct bj_box *box)
{
	return box->error.text;
}

static int set_helper(struct bj_box *box, const char *value, struct error *err)
{
	char *copy = NULL;

	if (!value || value[0] != '/')
		return fail(err, ERR_CALLER, "helper needs the absolute path of belljar");
	copy = strdup(value);
	if (!copy)
		return fail_sys(err, "allocate");
	free(box->helper);
	box->helper = copy;
	box->stale = true;
	return 0;
}

/* The helper is started later, and the caller may be in another directory then. */
static int anchor(const struct bj_box *box, const char *option, const char *value, char **ret,
		  struct error *err)
{
	own_str here = NULL;

	(void)box;
	if ((strcmp(option, "read") != 0 && strcmp(option, "write") != 0) || !value ||
	    value[0] == '/' || value[0] == ':' || value[0] == '\0')
		return 0;
	here = getcwd(NULL, 0);
	if (!here)
		return fail_sys(err, "%s %s", option, value);
	if (strstr(here, ":/") || asprintf(ret, "%s/%s", here, value) < 0)
		return fail(err, ERR_CALLER, "%s %s: give an absolute path", option, value);
	return 0;
}

static int set(struct bj_box *box, const char *option, const char *value, struct error *err)
{
	enum option_use use = FOR_CALL;
	own_str anchored = NULL;

	if (!option)
		return fail(err, ERR_CALLER, "there is no option without a name");
	if (strcmp(option, "helper") == 0)
		return set_helper(box, value, err);
	if (anchor(box, option, value, &anchored, err) < 0 ||
	    options_set(&box->options, option, anchored ? anchored : value, &use, err) < 0)
		return -1;
	box->stale |= use == FOR_SLOT;
	return 0;
}

EXPORT int bj_box_set(struct bj_box *box, const char *option, const char *value)
{
	return set(box, option, value, &box->error);
}

static const char *helper_of(const struct bj_box *box)
{
	const char *named = secure_getenv("BELLJAR_HELPER");

	if (box->helper)
		return box->helper;
	return named && named[0] == '/' ? named : BELLJAR_HELPER;
}

static int have_helper(struct bj_box *box, struct error *err)
{
	const struct request *r = &box->options.request;

	if (!box->stale && remote_is_ready(&box->remote))
		return 0;
	if (remote_open(&box->remote, helper_of(box), &r->profile, &r->job.limits, err) < 0)
		return -1;
	box->stale = false;
	return 0;
}

static int check_owner(const struct bj_box *box, struct error *err)
{
	if (box->owner == getpid())
		return 0;
	return fail(err, ERR_CALLER, "this box belongs to process %d; after fork() make a new one",
		    (int)box->owner);
}

EXPORT int bj_box_prepare(struct bj_box *box)
{
	struct error *err = &box->error;

	return check_owner(box, err) < 0 || have_helper(box, err) < 0 ? -1 : 0;
}

EXPORT void bj_cancel(struct bj_box *box)
{
	const uint64_t once = 1;
	int saved = errno;

	(void)!write(box->cancel_fd, &once, sizeof(once));
	errno = saved;
}

/* One call. */

static void call_end(struct call *c)
{
	free(c->env_own);
	free(c->env);
	codefile_done(&c->file);
}

static size_t count_of(const char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

/* What the call brings wins over what the box has. */
static int build_env(struct call *c, const struct bj_box *box, const char *const *more,
		     const struct language *language, struct error *err)
{
	const struct run_options *o = &box->options;
	size_t n = count_of(more), total = n;

	c->env_own = calloc(n + o->n_env + 1, sizeof(char *));
	c->env = calloc(n + o->n_env + ENVIRONMENT_OWN, sizeof(char *));
	if (!c->env_own || !c->env)
		return fail_sys(err, "allocate an environment");
	for (size_t i = 0; i < n; i++) {
		if (environment_check(more[i], err) < 0)
			return -1;
		c->env_own[i] = (char *)(uintptr_t)more[i];
	}
	for (size_t i = 0; i < o->n_env; i++) {
		size_t same = 0;

		while (same < n && !environment_same_name(more[same], o->env[i]))
			same++;
		if (same == n)
			c->env_own[total++] = o->env[i];
	}
	environment_build(language, c->env_own, c->env);
	c->request.job.env = c->env;
	return 0;
}

static int add_put(struct call *c, const struct put *put, struct error *err)
{
	if (c->request.n_puts == ARRAY_LEN(c->request.puts))
		return fail(err, ERR_CALLER, "more than %d files", PUTS_MAX);
	if (copyin_check_path(put->inside, err) < 0)
		return -1;
	c->request.puts[c->request.n_puts++] = *put;
	return 0;
}

static int add_files(struct call *c, const struct bj_input *in, struct error *err)
{
	for (size_t i = 0; i < in->n_files; i++) {
		const struct bj_file *file = &in->files[i];
		const struct put put = {
			.inside = file->name ? file->name : "",
			.data = file->data ? file->data : "",
			.len = file->data ? file->size : 0,
			.executable = file->executable,
		};

		if (add_put(c, &put, err) < 0)
			return -1;
	}
	return 0;
}

static int check_input(const struct bj_input *in, struct error *err)
{
	if (in->struct_size == sizeof(*in))
		return 0;
	return fail(err, ERR_CALLER,
		    "the input is not from this libbelljar: begin it with BJ_INPUT_INIT");
}

/* One of the program's two streams on its way to the caller's function. */
struct ear {
	const struct bj_input *in;
	enum bj_stream stream;
};

static void hear(void *context, const char *data, size_t len)
{
	const struct ear *ear = context;

	ear->in->on_output(ear->in->context, ear->stream, data, len);
}

static void wire_up(struct call *c, const struct bj_box *box, const struct bj_input *in,
		    struct ear ears[2])
{
	struct request *r = &c->request;

	r->food = (struct food){in->stdin_data, in->stdin_size, in->stdin_fd, &box->null_fd};
	r->cancel_fds[0] = box->cancel_fd;
	r->cancel_fds[1] = in->cancel_fd;
	ears[0] = (struct ear){in, BJ_STDOUT};
	ears[1] = (struct ear){in, BJ_STDERR};
	if (!in->on_output) {
		r->hush_ms = HUSH_MS;
		return;
	}
	r->live_out = (struct live){.fd = -1, .hear = hear, .context = &ears[0]};
	r->live_err = (struct live){.fd = -1, .hear = hear, .context = &ears[1]};
}

/* Cancelled before it began is not cancelled: the box cannot know which call was meant. */
static void forget_cancel(const struct bj_box *box)
{
	uint64_t times;

	(void)!read(box->cancel_fd, &times, sizeof(times));
}

/* No program, or one that may not run: that is the call's result.  Anything else that kept it from
 * running is ours. */
static bool is_our_failure(const struct account *a)
{
	enum error_kind kind = a->outcome.error.kind;

	return a->outcome.end == END_NOT_STARTED && kind != ERR_NOT_FOUND && kind != ERR_REFUSED;
}

static int finish(struct bj_box *box, struct account *account, struct bj_result **ret,
		  struct error *err)
{
	/* A helper that is in the middle of something, or whose box got files, serves no other. */
	if (!remote_is_ready(&box->remote))
		remote_close(&box->remote);
	if (is_our_failure(account)) {
		*err = account->outcome.error;
		account_done(account);
		return -1;
	}
	return result_new(account, ret, err);
}

static int run_once(struct bj_box *box, struct call *c, struct account *ret, struct error *err)
{
	struct error later;

	if (have_helper(box, err) < 0)
		return -1;
	if (serve_prepare(&c->request, ret, err) < 0) {
		account_done(ret);
		return -1;
	}
	/* Something may have run then: a result is owed, and it says what went wrong. */
	(void)serve(&c->request, &box->remote.runner, ret, &later);
	return 0;
}

static int run(struct bj_box *box, struct call *c, struct bj_result **ret, struct error *err)
{
	struct account account;

	forget_cancel(box);
	if (run_once(box, c, &account, err) < 0)
		return -1;
	/* A helper that went between two calls has not even heard of this one: once more. */
	if (account.outcome.end == END_NOT_STARTED &&
	    (box->remote.unheard || (box->remote.unread && c->request.food.fd < 0))) {
		account_done(&account);
		remote_close(&box->remote);
		if (run_once(box, c, &account, err) < 0)
			return -1;
	}
	return finish(box, &account, ret, err);
}

static int run_call(struct bj_box *box, struct call *c, const struct language *language,
		    const char *code, const struct bj_input *in, struct bj_result **ret)
{
	static const struct bj_input nothing = BJ_INPUT_INIT;
	struct error *err = &box->error;
	struct ear ears[2];

	if (!in)
		in = &nothing;
	if (check_owner(box, err) < 0 || check_input(in, err) < 0)
		return -1;
	c->request.job.limits = box->options.request.job.limits;
	if (build_env(c, box, in->env, language, err) < 0 || add_files(c, in, err) < 0)
		return -1;
	if (language &&
	    codefile_add(&c->file, &c->request, language,
			 (struct put){.data = code, .len = strlen(code)}, in->args, err) < 0)
		return -1;
	wire_up(c, box, in, ears);
	return run(box, c, ret, err);
}

static void call_begin(struct call *c, const struct bj_box *box)
{
	c->request = box->options.request;
	c->env_own = c->env = NULL;
	c->file.argv = NULL;
}

EXPORT int bj_run(struct bj_box *box, const char *const argv[], const struct bj_input *in,
		  struct bj_result **ret)
{
	own(call) c;

	call_begin(&c, box);
	if (!argv || !argv[0] || !ret)
		return fail(&box->error, ERR_CALLER, "there is no program to run");
	c.request.job.argv = (char **)(uintptr_t)argv;
	return run_call(box, &c, NULL, NULL, in, ret);
}

EXPORT int bj_run_code(struct bj_box *box, const char *language, const char *code,
		       const struct bj_input *in, struct bj_result **ret)
{
	const struct language *known;
	own(call) c;

	call_begin(&c, box);
	if (!language || !code || !ret)
		return fail(&box->error, ERR_CALLER, "there is no language or no code");
	known = language_find(language, &box->error);
	return known ? run_call(box, &c, known, code, in, ret) : -1;
}
