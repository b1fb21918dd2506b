/* SPDX-License-Identifier: Apache-2.0 */
/* front.c - makes a front, and gives it what its owner has for it. */
#include "serve/api/front.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sha256.h"

enum { TICK_US = 1000000, SWEEP_US = 30000000 };

static void sweep(struct front *f, uint64_t now_us)
{
	struct timespec now;
	struct error err = {0};

	f->swept_us = now_us;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	if (once_sweep(f->once, (uint64_t)now.tv_sec * 1000, &err) < 0 && f->config.say)
		f->config.say(f->config.context, err.text);
	parties_sweep(&f->parties);
}

static void tick(void *context)
{
	struct front *f = context;
	uint64_t now_us = clock_us();
	struct error err;

	pool_tick(&f->pool, now_us);
	book_sweep(&f->book, now_us);
	sessiontable_sweep(&f->sessions, now_us);
	EACH_LINK(at, &f->visits)
	{
		struct visit *v = LINKED(at, struct visit, all);

		if (v->streaming)
			stream_beat(v, now_us);
		else if (v->wait_until_us && now_us >= v->wait_until_us && v->reload)
			reloading_late(v);
		else if (v->wait_until_us && now_us >= v->wait_until_us)
			callroutes_poll(v);
	}
	if (now_us - f->swept_us > SWEEP_US)
		sweep(f, now_us);
	drain_check(f);
	(void)loop_set(f->loop, &f->tick, now_us + TICK_US, &err);
}

static int set_up(struct front *f, struct error *err)
{
	struct pool_events events = asking_events;
	char notice[256];

	events.context = f;
	pool_init(&f->pool, f->loop, &events);
	f->once = once_open(f->config.directory, notice, sizeof(notice), err);
	if (!f->once)
		return -1;
	if (notice[0] && f->config.say)
		f->config.say(f->config.context, notice);
	if (sha256_load(err) < 0)
		return -1;
	f->tick = (struct loop_timer){.due = tick, .context = f};
	return loop_set(f->loop, &f->tick, clock_us() + TICK_US, err);
}

struct front *api_new(struct loop *l, const struct api_config *c, struct error *err)
{
	struct front *f = calloc(1, sizeof(*f));

	if (!f) {
		(void)fail_sys(err, "start the front");
		return NULL;
	}
	f->loop = l;
	f->config = *c;
	if (f->config.beat_ms == 0)
		f->config.beat_ms = BEAT_MS;
	if (f->config.reload_ms == 0)
		f->config.reload_ms = RELOAD_MS;
	f->reader.watch.fd = -1;
	f->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	f->started_us = f->swept_us = clock_us();
	links_init(&f->visits);
	parties_init(&f->parties);
	book_init(&f->book, &f->parties);
	sessiontable_init(&f->sessions);
	metrics_init(&f->metrics);
	feeding_init(f);
	visit_handler(f);
	if (set_up(f, err) < 0) {
		api_free(f);
		return NULL;
	}
	return f;
}

void api_free(struct front *f)
{
	if (!f)
		return;
	f->draining = f->drained = true;
	auditroutes_set_reader(f, -1);
	if (f->pool.loop)
		pool_done(&f->pool);
	loop_unset(f->loop, &f->tick);
	loop_unset(f->loop, &f->drain_timer);
	loop_unset(f->loop, &f->feed);
	sessiontable_done(&f->sessions);
	book_done(&f->book);
	parties_done(&f->parties);
	once_close(f->once);
	view_free(f->view);
	buf_done(&f->openapi);
	if (f->statm >= 0)
		(void)close(f->statm);
	free(f);
}

int api_set_view(struct front *f, int fd, uint32_t generation, struct error *err)
{
	struct view *v = view_read_fd(fd, err);
	struct pool_limits limits;
	struct http_caps caps;

	if (!v)
		return -1;
	v->generation = generation;
	view_free(f->view);
	f->view = v;
	for (size_t i = 0; i < v->tools.n; i++)
		metrics_tool(&f->metrics, v->tools.items[i]);
	f->sessions.most = v->sessions;
	book_set_limits(&f->book, v->calls_kept, v->calls_kept_ms);
	limits = (struct pool_limits){.generation = generation,
				      .keepers = v->concurrency,
				      .session_keepers = v->sessions_ready,
				      .queue = v->queue,
				      .queue_wait_ms = v->queue_wait_ms};
	/* First: none of those who wait may be given a keeper by the key of before. */
	revisit_all(f);
	pool_set_limits(&f->pool, &limits);
	if (f->http) {
		api_caps(f, &caps);
		http_set_caps(f->http, &caps);
	}
	return 0;
}

void api_caps(const struct front *f, struct http_caps *ret)
{
	const struct view *v = f->view;
	size_t share = v->connections / 4;

	*ret = (struct http_caps){
		.head_bytes = 16 << 10,
		.headers = 64,
		.body_bytes = v->body_bytes,
		.target_bytes = 8 << 10,
		.connections = v->connections,
		.connections_per_peer = v->connections - (share ? share : 0),
		.head_ms = v->head_ms,
		.body_ms = v->body_ms,
		.idle_ms = v->idle_ms,
		.write_ms = v->body_ms,
		.pending_bytes = PENDING_BYTES,
	};
}

const struct http_handler *api_handler(struct front *f)
{
	return &f->handler;
}

void api_set_http(struct front *f, struct http *s)
{
	f->http = s;
}

int api_add_keeper(struct front *f, int fd, bool session, uint32_t generation, struct error *err)
{
	return pool_add(&f->pool, fd, session, generation, err);
}

void api_set_reader(struct front *f, int fd)
{
	auditroutes_set_reader(f, fd);
}

void api_set_state(struct front *f, uint64_t bits)
{
	f->state = bits;
}

void api_drain(struct front *f, uint64_t within_ms)
{
	drain_begin(f, within_ms);
}
