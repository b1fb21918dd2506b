/* SPDX-License-Identifier: Apache-2.0 */
/* talk.c - messages between libbelljar and its helper: begun, received, checked. */
#include "lib/talk.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"

enum { ROOM = 8192 };
static_assert(2 * sizeof(struct talk_reply) <= ROOM && sizeof(struct talk_request) <= ROOM,
	      "room to grow");

void talk_begin(struct talk_head *head, uint32_t kind, size_t size)
{
	*head = (struct talk_head){
		.magic = TALK_MAGIC,
		.version = TALK_VERSION,
		.size = (uint32_t)size,
		.kind = kind,
	};
}

/* In this order: a peer of another version has messages of another size, and the version is what
 * its owner has to hear about. */
static int check_head(const struct talk_head *head, size_t came, size_t due, struct error *err)
{
	if (came < sizeof(*head) || head->magic != TALK_MAGIC)
		return fail(err, ERR_INTERNAL, "a message of %zu bytes came that is not belljar's",
			    came);
	if (head->version != TALK_VERSION)
		return fail(err, ERR_CONFIG,
			    "libbelljar and belljar are of different versions: they speak %u and "
			    "%u; install both from one release",
			    TALK_VERSION, head->version);
	if (head->size != due || came != due)
		return fail(err, ERR_INTERNAL, "a message of %zu bytes came, %zu were due", came,
			    due);
	return 0;
}

/* Received into more room than it needs: a longer message must still tell its version. */
static ssize_t take(int sock, struct talk_head *ret, size_t size, int *ret_fds, size_t *n_fds,
		    struct error *err)
{
	union {
		struct talk_head head;
		char room[ROOM];
	} message;
	ssize_t n = fd_receive_any(sock, &message, sizeof(message), ret_fds, n_fds, err);

	if (n <= 0)
		return n;
	if (check_head(&message.head, (size_t)n, size, err) == 0) {
		memcpy(ret, &message, size);
		return n;
	}
	while (*n_fds)
		(void)close(ret_fds[--*n_fds]);
	return -1;
}

ssize_t talk_take_request(int sock, struct talk_request *ret, int *ret_fds, size_t *n_fds,
			  struct error *err)
{
	ssize_t n = take(sock, &ret->head, sizeof(*ret), ret_fds, n_fds, err);

	if (n <= 0)
		return n;
	if (ret->reason >= KILL_COUNT)
		ret->reason = KILL_CANCELLED;
	ret->path[sizeof(ret->path) - 1] = '\0';
	return n;
}

static void terminate(struct error *error)
{
	error->text[sizeof(error->text) - 1] = '\0';
	if ((unsigned)error->kind >= ERR_KIND_COUNT)
		error->kind = ERR_INTERNAL;
}

/* A bool from outside may be a byte that is none. */
static void tame_bool(bool *value)
{
	unsigned char byte;

	memcpy(&byte, value, sizeof(byte));
	*value = byte != 0;
}

static void tame_outcome(struct outcome *o)
{
	if ((unsigned)o->end > END_SIGNALLED)
		o->end = END_UNKNOWN;
	if ((unsigned)o->killed_for >= KILL_COUNT)
		o->killed_for = KILL_NONE;
	if ((unsigned)o->start.how >= START_COUNT)
		o->start.how = START_COLD;
	o->start.why_cold[sizeof(o->start.why_cold) - 1] = '\0';
	tame_bool(&o->usage.disk_full);
	tame_bool(&o->usage.inodes_full);
	for (int i = 0; i < LAYER_COUNT; i++) {
		struct layer_report *layer = &o->layers[i];

		layer->detail[sizeof(layer->detail) - 1] = '\0';
		if ((unsigned)layer->state > LAYER_FULL)
			layer->state = LAYER_OFF;
	}
	terminate(&o->error);
}

ssize_t talk_take_reply(int sock, struct talk_reply *ret, int *ret_fds, size_t *n_fds,
			struct error *err)
{
	ssize_t n = take(sock, &ret->head, sizeof(*ret), ret_fds, n_fds, err);

	if (n > 0) {
		terminate(&ret->error);
		tame_outcome(&ret->outcome);
		ret->entry.name[sizeof(ret->entry.name) - 1] = '\0';
	}
	return n;
}
