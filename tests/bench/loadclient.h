/* SPDX-License-Identifier: Apache-2.0 */
/* loadclient.h - one client of a service, for measuring: a connection that is kept, times in
 * microseconds. */
#ifndef BENCH_LOADCLIENT_H
#define BENCH_LOADCLIENT_H

#include <stdbool.h>
#include <stddef.h>

enum { ANSWER_MAX = 64 << 10, REQUEST_MAX = 8192, CLIENTS_MAX = 256 };

struct client {
	int fd;
	double since;
	size_t len;
	char answer[ANSWER_MAX + 1]; /* with its head; a NUL follows */
};

double now_us(void);
_Noreturn void die(const char *what);

/* As far as HTTP is needed.  body NULL: a GET.  accept NULL: whatever there is. */
struct asked {
	const char *path;
	const char *accept;
	const char *body;
};
void client_compose(char ret_text[static REQUEST_MAX], const struct asked *asked);
void client_connect(struct client *c, int port);
void client_connect_near(struct client *c, const char *path); /* a Unix socket */
void client_ask(struct client *c, const char *text);
/* More of the answer; blocks.  1: it is whole.  0: not yet. */
int client_take(struct client *c);
/* Microseconds since it was asked, or NAN: it is not 200, or, to a POST, not a success. */
double client_judged(const struct client *c, bool is_post);

/* n clients that ask and ask the same, each as soon as it has its answer. */
struct crowd {
	int port;
	size_t n;
	size_t calls;  /* as many in all ... */
	double for_us; /* ... or, if 0, for so long */
	const struct asked *asked;
	/* Each answer as it comes, with client_judged(). */
	void (*heard)(void *context, const struct client *c, double us);
	void *context;
};
/* Returns how many microseconds it took, and how many answers there were. */
double crowd_run(const struct crowd *crowd, size_t *ret_calls);

#endif
