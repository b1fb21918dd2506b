/* SPDX-License-Identifier: Apache-2.0 */
/* supervise.h - what the parts of the supervisor share.
 *
 * It holds all descriptors and reads nothing that comes from outside: a front
 * that somebody has taken over can ask it for keepers and a reload, no more.
 */
#ifndef SERVE_ROLES_SUPERVISE_H
#define SERVE_ROLES_SUPERVISE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "serve/loop.h"
#include "serve/roles/doors.h"
#include "serve/roles/notify.h"
#include "serve/roles/serveplan.h"
#include "serve/roles/rolelog.h"
#include "serve/roles/roletalk.h"
#include "serve/roles/supervisor.h"
#include "serve/roles/viewrun.h"

enum {
	PATH_ROOM = 4096,
	WORDS_MAX = 64,
	AGAIN_FIRST_MS = 50, /* the second restart in a row; the first is at once */
	AGAIN_MOST_MS = 1000,
	SETTLED_MS = 1000, /* one that says nothing is believed to be up */
	STEADY_MS = 5000,  /* who lived so long has not failed to start */
	COMING_MS = 3000,  /* a keeper of a session waits so long for what it is copied from */
	PING_MS = 1000,    /* so often the warden is asked whether it hears */
	PINGS_MAX = 3,     /* and so often without an answer, then it counts as not there */
	LEAVE_MS = 10000,  /* to end by itself, when it should */
	WANTS_MAX = 10000, /* keepers asked for and not there */
};

enum single_role { ROLE_FRONT = 0, ROLE_WARDEN, ROLE_SCRIBE, ROLE_AUDITOR, SINGLE_COUNT };

struct supervisor;

/* A role that there is one of. */
struct single {
	struct supervisor *all;
	enum single_role which;
	pid_t pid; /* 0: it is not running */
	int pidfd;
	int control; /* our end; -1: none */
	struct loop_watch end, news;
	struct loop_timer again, settled, ping;
	uint64_t started_us;
	unsigned fails;   /* in a row */
	bool up;          /* it has said so, or needs not */
	bool told;        /* that it does not stay up */
	bool busy;        /* scribe: somebody else's has the log, and serves us as well */
	bool pinged;      /* warden: its answer is waited for */
	unsigned unheard; /* so many times it was looked for in vain */
};

struct keeper {
	struct supervisor *all;
	struct keeper *next;
	pid_t pid;
	int pidfd;
	struct loop_watch end;
	uint64_t started_us;
	bool session;
	bool makes_template; /* and serves nobody */
	bool warm_node;      /* a node may wait for calls in it */
};

/* Where keepers of sessions are copied; of one reading of the policy. */
struct nursery {
	pid_t pid; /* 0: it is not running */
	int pidfd;
	int control; /* our end; -1: it was let go */
	struct loop_watch end, news;
	uint32_t generation;
	unsigned fails;
	bool ready;
	uint64_t since_us;
	int template; /* what Pythons of its sessions become; -1: it is not there */
	int maker;    /* where it will come from; -1: nowhere */
	struct loop_watch made;
};

enum stopping { STOP_NOT = 0, STOP_DRAIN, STOP_KEEPERS, STOP_WARDEN, STOP_SCRIBE, STOP_DONE };

struct supervisor {
	const struct serve_config *config;
	struct loop *loop;
	struct notify notify;
	struct loop_timer watchdog;
	int lock, signals;
	struct loop_watch signal_watch;
	char state[PATH_ROOM], audit[PATH_ROOM], front_directory[PATH_ROOM];

	struct plan plan; /* of now; all zeros: not read yet */
	int view_fd;      /* its text, for fronts */
	int tls_fd;       /* its certificate and key, for fronts; -1: no TLS */
	int pack_fd;      /* its files as they were read, for keepers */
	int pack_next;    /* the same of the one that is being read */
	uint32_t generation;
	struct viewrun viewrun;
	bool reload_again; /* asked for while one was going on */
	/* The front's numbers: the last that it asked with, and the last that the reading of now is
	 * for.  A new front counts anew. */
	uint64_t reload_asked, reload_for;
	struct rolelog logs[SINGLE_COUNT], keeper_log, gate_log, test_log;

	struct doors doors;
	struct single singles[SINGLE_COUNT];
	struct keeper *keepers;
	size_t n_keepers;
	struct nursery nursery;
	uint64_t wants[2]; /* keepers asked for: for calls, for sessions */
	unsigned keeper_fails;
	struct loop_timer keeper_again;
	struct loop_timer strays;
	uint64_t stray_ms; /* until the look after the next */

	pid_t test_pid;
	int test_pidfd;
	struct loop_watch test_end;
	bool tested;
	uint64_t state_told; /* ROLE_UP_... that the front knows; UINT64_MAX: none */
	bool front_heard;    /* one has begun, ever */
	bool announced;

	enum stopping stopping;
	struct loop_timer stop_timer;
	bool failed; /* why says what */
	struct error why;
};

/* A line for the operator. */
void supervisor_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* It cannot go on: everything is ended, and why returned. */
void supervisor_give_up(struct supervisor *s, const struct error *why);

/* singles.c */
void singles_init(struct supervisor *s);
void singles_start(struct single *one);
/* After a delay that grows; does nothing when we are stopping. */
void singles_restart(struct single *one, uint64_t least_ms);
const char *single_name(enum single_role which);
/* It is there, and answers. */
bool single_is_up(const struct supervisor *s, enum single_role which);
/* One that does not say when it is up: at once, or, if it has failed before, after a while. */
void singles_believe(struct single *one);
/* Tells the front what is up, if it does not know yet, and the world when all is. */
void singles_tell_state(struct supervisor *s);
uint64_t delay_ms(unsigned fails);

/* singlestart.c: each starts one; -1: err. */
int start_front(struct single *one, struct error *err);
int start_warden(struct single *one, struct error *err);
int start_scribe(struct single *one, struct error *err);
int start_auditor(struct single *one, struct error *err);
/* What each says on its control socket. */
void hear_front(struct single *one);
void hear_warden(struct single *one);
void hear_scribe(struct single *one);
int front_tell(struct supervisor *s, enum role_word word, uint64_t number, int fd);

/* pinging.c: a role that is there and does nothing is noticed, and said; it is not ended. */
void pinging_look(void *context); /* of its timer */
void pinging_start(struct single *one);
void pinging_end(struct single *one);
void pinging_heard(struct single *one);
bool pinging_is_silent(const struct single *one);

/* keepers.c */
/* One that makes the nursery's template; *ret_socket is where it sends it. */
int keepers_maker(struct supervisor *s, int *ret_socket, struct error *err);
void keepers_want(struct supervisor *s, bool session);
void keepers_pump(struct supervisor *s);
void keepers_kill(struct supervisor *s);

/* nursing.c */
/* Starts it if there is none. */
bool nursing_is_ready(struct supervisor *s);
/* It will be in a moment, with all that its keepers have in common. */
bool nursing_is_coming(struct supervisor *s);
/* A keeper with these sockets, which stay the caller's; our child. */
int nursing_copy(struct keeper *k, int front, int warden, struct error *err);
void nursing_end(struct supervisor *s);
void nursing_kill(struct supervisor *s);

/* strays.c: there may be a child whose number we do not know; it will be waited for. */
void strays_expect(struct supervisor *s);

/* templating.c: what the nursery's keepers have in common is made once, off the path. */
void templating_start(struct supervisor *s);
/* Who makes it is not waited for any more; if it is made, it stays. */
void templating_pause(struct supervisor *s);
void templating_end(struct supervisor *s);

/* reload.c */
int reload_start(struct supervisor *s, struct error *err);
/* Somebody asks, the front with a number; it, systemd and the log are told what comes of it. */
void reload_ask(struct supervisor *s, uint64_t number);
int boot(struct supervisor *s, struct error *err);

/* keyfiles.c: what the plan names, in one file in memory as ROLE_TLS wants it. */
int keyfiles_read(const struct plan *p, struct error *err);

/* selftest.c */
int selftest_start(struct supervisor *s, struct error *err);
void selftest_cancel(struct supervisor *s);

/* banner.c */
void banner_print(const struct supervisor *s);

/* stopping.c */
void stopping_begin(struct supervisor *s);
/* Something has ended: may the next thing be told to? */
void stopping_step(struct supervisor *s);
/* Somebody ended: is a step of the way over by that?  Calls are waited for nevertheless. */
void stopping_advance(struct supervisor *s);

#endif
