/* SPDX-License-Identifier: Apache-2.0 */
/* frontrole.c - the process that clients talk to: listeners, HTTP, the API, one loop.
 *
 * It begins with the supervisor's socket and the listening ones and nothing
 * else, seals itself before it reads a byte, and hears from the supervisor what
 * the policy says, which keepers there are and when to stop.  When that socket
 * closes it ends, and every call with it.
 */
#include "serve/roles/frontrole.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/text.h"
#include "call/call.h"
#include "serve/api/api.h"
#include "serve/http/tls.h"
#include "serve/roles/roletalk.h"

enum { TLS_TEXT_MAX = 4 << 20, REASON_MAX = 8 << 10 };

struct frontrole {
	const struct front_config *config;
	struct loop *loop;
	struct loop_watch control;
	struct front *api;
	struct http *http;
	struct http_tls *tls;
	bool has_view;
	struct error
		unusable; /* what we cannot use of the policy that came last; "": all is well */
	bool failed;
	struct error why;
};

static void give_up(struct frontrole *f, const struct error *why)
{
	if (!f->failed) {
		f->failed = true;
		f->why = *why;
	}
	loop_stop(f->loop);
}

static void ask(void *context, enum role_word word, uint64_t number)
{
	struct frontrole *f = context;
	struct role_message m = {.word = word, .number = number};
	struct error err;

	/* What the supervisor does not hear would be waited for in vain. */
	if (role_send(f->config->control, &m, -1, &err) < 0)
		give_up(f, &err);
}

static void say(void *context, const char *text)
{
	(void)context;
	(void)fprintf(stderr, "%s\n", text);
}

/* TLS: three texts, each with a NUL behind it. */

static int read_tls(int fd, char **ret, size_t *ret_len, struct error *err)
{
	own_str text = NULL;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0 || st.st_size <= 0 || st.st_size > TLS_TEXT_MAX)
		return fail(err, ERR_INTERNAL, "no certificate came");
	text = calloc(1, (size_t)st.st_size + 1);
	if (!text)
		return fail_sys(err, "read the certificate");
	n = pread(fd, text, (size_t)st.st_size, 0);
	if (n != st.st_size)
		return fail(err, ERR_INTERNAL, "the certificate came in part");
	*ret_len = (size_t)n;
	*ret = TAKE(text);
	return 0;
}

static int take_tls(struct frontrole *f, int fd, struct error *err)
{
	struct http_tls_pem pem = {0};
	const char **parts[] = {&pem.cert, &pem.key, &pem.client_ca};
	struct http_tls *tls = NULL;
	own_str text = NULL;
	size_t len = 0, at = 0;

	if (read_tls(fd, &text, &len, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(parts) && at < len; i++) {
		*parts[i] = text + at;
		at += strlen(text + at) + 1;
	}
	if (pem.key)
		tls = http_tls_new(&pem, err);
	explicit_bzero(text, len);
	if (!tls)
		return pem.key ? fail_in(err, "serve.tls") : fail(err, ERR_INTERNAL, "no key came");
	if (f->http)
		http_set_tls(f->http, tls);
	http_tls_free(f->tls);
	f->tls = tls;
	return 0;
}

/* The beginning: what must be there before the first client. */

static int listen_at_doors(struct frontrole *f, struct error *err)
{
	const struct front_config *c = f->config;

	for (size_t i = 0; i < c->n_doors; i++) {
		if (c->doors[i].tls && !f->tls)
			return fail(err, ERR_CONFIG, "a door wants TLS and there is no key");
		if (http_listen(f->http, c->doors[i].fd, c->doors[i].tls ? f->tls : NULL, err) < 0)
			return -1;
	}
	return 0;
}

static int begin(struct frontrole *f, int view, uint32_t generation, struct error *err)
{
	struct http_caps caps;

	if (api_set_view(f->api, view, generation, err) < 0)
		return -1;
	f->has_view = true;
	api_caps(f->api, &caps);
	f->http = http_new(f->loop, &caps, api_handler(f->api), err);
	if (!f->http)
		return -1;
	api_set_http(f->api, f->http);
	return listen_at_doors(f, err);
}

static int take_view(struct frontrole *f, int fd, uint32_t generation, struct error *err)
{
	struct error bad = {0};

	if (!f->has_view)
		return begin(f, fd, generation, err);
	/* The old one stays. */
	if (api_set_view(f->api, fd, generation, &bad) < 0) {
		say(NULL, bad.text);
		f->unusable = bad;
	}
	return 0;
}

static int take_new_tls(struct frontrole *f, int fd, struct error *err)
{
	struct error bad = {0};

	if (!f->has_view)
		return take_tls(f, fd, err);
	if (take_tls(f, fd, &bad) < 0) {
		say(NULL, bad.text);
		f->unusable = bad;
	}
	return 0;
}

/* The policy was read, and was sent before this if it counts. */
static void take_reloaded(struct frontrole *f, const struct role_message *m, int fd)
{
	char text[REASON_MAX + 1] = "";
	ssize_t n = fd >= 0 ? pread(fd, text, sizeof(text) - 1, 0) : 0;
	struct api_reload r = {.number = m->number, .text = text};

	text[n > 0 ? n : 0] = '\0';
	r.done = m->word == ROLE_RELOADED && !f->unusable.text[0];
	if (m->word == ROLE_RELOADED && f->unusable.text[0])
		(void)snprintf(text, sizeof(text),
			       "the policy is in force, but for a part that stays as it was: %s",
			       f->unusable.text);
	f->unusable = (struct error){0};
	api_reloaded(f->api, &r);
}

static int obey(struct frontrole *f, const struct role_message *m, int *fd, struct error *err)
{
	struct error bad = {0};

	switch ((enum role_word)m->word) {
	case ROLE_VIEW:
		return take_view(f, *fd, m->generation, err);
	case ROLE_TLS:
		return take_new_tls(f, *fd, err);
	case ROLE_RELOADED:
	case ROLE_NOT_RELOADED:
		take_reloaded(f, m, *fd);
		return 0;
	case ROLE_KEEPER:
		if (api_add_keeper(f->api, take_fd(fd), m->number == 1, m->generation, &bad) < 0)
			say(NULL, bad.text);
		return 0;
	case ROLE_READER:
		api_set_reader(f->api, take_fd(fd));
		return 0;
	case ROLE_STATE:
		api_set_state(f->api, m->number);
		return 0;
	case ROLE_DRAIN:
		api_drain(f->api, m->number);
		return 0;
	case ROLE_NONE:
	case ROLE_WANT_KEEPER:
	case ROLE_RELOAD:
	case ROLE_DRAINED:
	case ROLE_COUNT:
		break;
	}
	return fail(err, ERR_INTERNAL, "the supervisor says %u", m->word);
}

static void take_word(void *context, uint32_t events)
{
	struct frontrole *f = context;
	struct role_message m;
	struct error err = {0};
	own_fd fd = -1;
	int got = role_take(f->config->control, &m, &fd, &err);

	(void)events;
	if (got == 0)
		loop_stop(f->loop); /* the supervisor is gone, or wants us to be */
	else if (got < 0 || obey(f, &m, &fd, &err) < 0)
		give_up(f, &err);
}

static int prepare(struct frontrole *f, struct error *err)
{
	struct api_config api = {.ask = ask, .say = say, .context = f};

	f->loop = loop_new(err);
	if (!f->loop || front_seal(f->config, &api.directory, err) < 0)
		return -1;
	f->api = api_new(f->loop, &api, err);
	if (!f->api)
		return -1;
	f->control = (struct loop_watch){
		.fd = f->config->control, .events = EPOLLIN, .ready = take_word, .context = f};
	return loop_add(f->loop, &f->control, err);
}

int front_run(const struct front_config *c, struct error *err)
{
	struct frontrole f = {.config = c};
	int result = prepare(&f, err);

	if (result == 0)
		result = loop_run(f.loop, err);
	if (result == 0 && f.failed) {
		*err = f.why;
		result = -1;
	}
	/* What is open ends with the process; only half-written answers would be seen to. */
	return result;
}

/* Words. */

static int take_descriptor(const char *text, int *ret, struct error *err)
{
	uint64_t fd;

	if (!text || text_parse_uint(text, &fd, err) < 0 || fd < 3 || fd > INT_MAX ||
	    fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0)
		return fail(err, ERR_CALLER, "'%.20s' is no descriptor", text ? text : "");
	*ret = (int)fd;
	return 0;
}

static int take_pair(const char *word, const char *value, struct front_config *c, struct error *err)
{
	bool tls = strcmp(word, "--tls-door") == 0;
	int layer;

	if (tls || strcmp(word, "--door") == 0) {
		if (c->n_doors == FRONT_DOORS_MAX)
			return fail(err, ERR_CALLER, "too many doors");
		c->doors[c->n_doors].tls = tls;
		return take_descriptor(value, &c->doors[c->n_doors++].fd, err);
	}
	if (strcmp(word, "--control") == 0)
		return take_descriptor(value, &c->control, err);
	if (strcmp(word, "--directory") == 0) {
		c->directory = value;
		return 0;
	}
	layer = strcmp(word, "--allow-degraded") == 0 ? layer_by_name(value) : -1;
	if (layer < 0)
		return fail(err, ERR_CALLER, "what is %s %s?", word, value);
	c->allow_degraded |= 1u << layer;
	return 0;
}

int front_parse(char **argv, struct front_config *ret, struct error *err)
{
	*ret = (struct front_config){.control = -1};
	for (; argv[0] && argv[1]; argv += 2)
		if (take_pair(argv[0], argv[1], ret, err) < 0)
			return -1;
	if (argv[0] || ret->control < 0 || !ret->directory)
		return fail(err, ERR_CALLER, "belljar-serve front is started by belljar serve");
	return 0;
}
