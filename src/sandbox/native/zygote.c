/* SPDX-License-Identifier: Apache-2.0 */
/* zygote.c - the launcher's side of a warm interpreter that lives in its slot.
 *
 * It stands where the launcher stands: in the slot's user, network and pid
 * namespaces and its template of a root, with a mount namespace of its own
 * and no /proc, with the few capabilities over the slot that its children need to
 * join a box and to seal themselves, and behind most of their system-call filter.  It runs nothing
 * of a caller's and is told nothing by one.
 */
#include "sandbox/native/zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/pages.h"
#include "call/language.h"
#include "sandbox/native/execute.h"
#include "sandbox/native/grants.h"
#include "sandbox/native/seal.h"
#include "sandbox/native/sharing.h"
#include "sandbox/native/startenv.h"
#include "sandbox/native/zygotewire.h"

enum {
	BEAR_MS = 5000,
	RETRY_US = 2000000, /* after one that did not come to life */
	YOUNG_US = 60000000,
	STACK_LIMIT = 8 << 20,
	ARGV_MAX = WARM_MODULES_MAX + 8,
};

extern const char zygote_text_start[];
extern const char zygote_library_start[], zygote_library_end[];

void zygote_init(struct zygote *z)
{
	*z = (struct zygote){.control = -1};
}

int zygote_fd(const struct zygote *z)
{
	return z->pid ? z->control : -1;
}

void zygote_let_go(struct zygote *z)
{
	launcher_bury(z->pid);
	own_fd_end(&z->control);
	zygote_init(z);
}

/* Large, and wanted again with the next call. */
static struct zygote_order *order_room(void)
{
	static struct zygote_order order;

	return &order;
}

void zygotes_leave(struct launcher *l)
{
	pages_forget(order_room(), sizeof(struct zygote_order));
	zygote_let_go(&l->zygote);
	zygote_let_go(&l->young);
}

/* Its birth. */

struct birth {
	struct launcher *l;
	int control, proc;
	char control_fd[4];
	char *argv[ARGV_MAX];
	char *env[WARM_ENV_MAX + ENVIRONMENT_OWN];
};

static const struct language *language_of(const struct warm *warm)
{
	struct error ignored;

	return language_find(warm_kind_name(warm->kind), &ignored);
}

static void write_words(struct birth *b)
{
	const struct warm *warm = &b->l->plan->profile->warm;
	size_t n = 0;
	char *own[WARM_ENV_MAX + 1] = {0};
	static char option[] = "-c", library[] = ZYGOTE_LIBRARY;

	b->argv[n++] = (char *)(uintptr_t)warm->program;
	b->argv[n++] = option;
	b->argv[n++] = (char *)(uintptr_t)zygote_text_start; /* a zero follows it */
	(void)snprintf(b->control_fd, sizeof(b->control_fd), "%d", ZYGOTE_CONTROL_FD);
	b->argv[n++] = library;
	b->argv[n++] = b->control_fd;
	for (size_t i = 0; i < warm->n_modules; i++)
		b->argv[n++] = (char *)(uintptr_t)warm->modules[i];
	b->argv[n] = NULL;
	for (size_t i = 0; i < warm->n_env; i++)
		own[i] = (char *)(uintptr_t)warm->env[i];
	environment_build(language_of(warm), own, b->env);
}

/* Streams of the kind that calls have.  It reads what it writes: nobody else is to. */
static int place_descriptors(const struct birth *b)
{
	const struct plan *plan = b->l->plan;
	int ends[2], high[2] = {b->control, plan->board_fd};
	int proc = b->proc < 0 ? -1 : fcntl(b->proc, F_DUPFD_CLOEXEC, 64);

	for (int i = 0; i < 2; i++)
		if ((high[i] = fcntl(high[i], F_DUPFD_CLOEXEC, 64)) < 0)
			return -1;
	if (pipe2(ends, O_CLOEXEC) < 0 || (ends[0] = fcntl(ends[0], F_DUPFD_CLOEXEC, 64)) < 0 ||
	    (ends[1] = fcntl(ends[1], F_DUPFD_CLOEXEC, 64)) < 0)
		return -1;
	if (dup2(ends[0], 0) < 0 || dup2(ends[1], 1) < 0 || dup2(ends[1], 2) < 0 ||
	    dup2(high[0], ZYGOTE_CONTROL_FD) < 0 || dup2(high[1], ZYGOTE_BOARD_FD) < 0)
		return -1;
	if (proc < 0 || dup2(proc, ZYGOTE_PROC_FD) < 0)
		return close_range(ZYGOTE_PROC_FD, ~0u, 0);
	return close_range(ZYGOTE_PROC_FD + 1, ~0u, 0);
}

/* What its children need: to join the box, and to give everything up. */
static int keep_capabilities(void)
{
	for (size_t i = 0; i < SEAL_KEPT_COUNT; i++)
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, seal_kept[i], 0, 0) < 0)
			return -1;
	return 0;
}

/* The template has the host's /proc, for the boxes to mount theirs beneath.  It is not for an
 * interpreter to look into: in its place lies what is loaded, and nothing else. */
static int cover_proc(void)
{
	size_t len = (size_t)(zygote_library_end - zygote_library_start);
	int fd;

	if (unshare(CLONE_NEWNS) < 0 ||
	    mount("tmpfs", "/proc", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") < 0)
		return -1;
	fd = open(ZYGOTE_LIBRARY, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0555);
	if (fd < 0 || write(fd, zygote_library_start, len) != (ssize_t)len)
		return -1;
	(void)close(fd);
	return mount(NULL, "/proc", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV,
		     NULL);
}

/* What it may know of itself.  Cloned, it is a root: there is nothing above it. */
static int own_proc(void)
{
	return open_tree(AT_FDCWD, "/proc/self", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
}

static int stand_apart(const struct profile *profile, struct error *err)
{
	struct rlimit now;

	if (cover_proc() < 0)
		return fail_sys(err, "a place for it");
	if (grants_take_away(profile, profile->warm.program, err) < 0)
		return -1;
	if (getrlimit(RLIMIT_STACK, &now) == 0 && now.rlim_max >= STACK_LIMIT) {
		now.rlim_cur = STACK_LIMIT; /* of its threads: one of them becomes the program */
		(void)setrlimit(RLIMIT_STACK, &now);
	}
	(void)setsid();
	return chdir("/work") < 0 ? fail_sys(err, "its directory") : 0;
}

/* What its children would do first, done once: the kernel takes longest for it. */
static int seal_for_children(const struct launcher *l, struct error *err)
{
	const struct seccomp_program *first = &l->filter_first;

	if (seal_securebits(err) < 0 || seal_core_dumps(err) < 0)
		return -1;
	return seccomp_install(first->code, first->len, err);
}

__attribute__((noreturn)) static void become_zygote(struct birth *b)
{
	struct zygote_news news = {.magic = ZYGOTE_MAGIC, .says = ZYGOTE_FAILED};
	struct error err = {0};
	uint64_t ignored;

	b->proc = own_proc();
	if (stand_apart(b->l->plan->profile, &err) < 0)
		; /* it has said why */
	else if (keep_capabilities() < 0)
		(void)fail_sys(&err, "its capabilities");
	else if (place_descriptors(b) < 0)
		(void)fail_sys(&err, "its descriptors");
	else if (seal_for_children(b->l, &err) == 0)
		execute(b->argv, b->env, &ignored, &err);
	(void)snprintf(news.text, sizeof(news.text), "%.199s", err.text);
	(void)send(ZYGOTE_CONTROL_FD, &news, sizeof(news), MSG_NOSIGNAL);
	(void)send(b->control, &news, sizeof(news), MSG_NOSIGNAL);
	_exit(1);
}

static void note_trouble(struct launcher *l, const char *why)
{
	(void)snprintf(l->trouble, sizeof(l->trouble), "%.79s", why);
	l->retry_us = clock_us() + RETRY_US;
}

static void give_birth(struct launcher *l)
{
	struct birth b = {.l = l};
	int ends[2];
	long child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		note_trouble(l, "no interpreter could be started");
		return;
	}
	write_words(&b);
	b.control = ends[1];
	child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child == 0)
		become_zygote(&b);
	(void)close(ends[1]);
	if (child < 0) {
		(void)close(ends[0]);
		note_trouble(l, "no interpreter could be started");
		return;
	}
	l->young = (struct zygote){.pid = (pid_t)child, .control = ends[0], .since_us = clock_us()};
	l->zygotes++;
}

/* What its children write could come back to it, or its memory would count as theirs. */
static const char *never(const struct launcher *l)
{
	const struct profile *profile = l->plan->profile;

	for (size_t i = 0; i < profile->n_grants; i++)
		if (profile->grants[i].write)
			return "something of the host can be written here";
		else if (strncmp(profile->grants[i].inside, "/usr/", 5) == 0)
			return "a grant lies among the interpreter's files";
	if (l->board->layers[LAYER_MEMORY].state != LAYER_FULL)
		return "no group limits memory here";
	return NULL;
}

static bool has_served(const struct launcher *l)
{
	const struct warm *warm = &l->plan->profile->warm;
	const struct zygote *z = &l->zygote;

	return (warm->calls && z->children >= warm->calls) ||
	       (warm->age_ms && clock_us() - z->since_us >= warm->age_ms * 1000);
}

void zygote_tend(struct launcher *l)
{
	if (l->plan->profile->warm.kind != WARM_PYTHON || l->kept || never(l))
		return;
	if (l->young.pid && clock_us() - l->young.since_us > YOUNG_US) {
		note_trouble(l, "the warm interpreter did not become ready");
		zygote_let_go(&l->young);
	}
	if (l->young.pid)
		return;
	if ((!l->zygote.pid || has_served(l)) && clock_us() >= l->retry_us)
		give_birth(l);
}

/* What it says. */

static bool is_news(const struct zygote_news *news, ssize_t n)
{
	return n == (ssize_t)sizeof(*news) && news->magic == ZYGOTE_MAGIC;
}

/* What its modules made when they were loaded is its children's, too. */
static bool shares_nothing(struct launcher *l, const struct zygote *z,
			   const struct zygote_news *news)
{
	struct error err = {0};

	if (sharing_check(z->pid, news->maps, ZYGOTE_MAPS, &err) == 0)
		return true;
	note_trouble(l, err.text);
	return false;
}

bool zygote_hear(struct launcher *l, struct zygote *z)
{
	struct zygote_news news = {0};
	ssize_t n = recv(z->control, &news, sizeof(news), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	news.text[sizeof(news.text) - 1] = '\0';
	if (is_news(&news, n) && news.says == ZYGOTE_READY && z == &l->young) {
		if (!shares_nothing(l, z, &news)) {
			zygote_let_go(z);
			return false;
		}
		zygote_let_go(&l->zygote);
		l->zygote = *z;
		l->zygote.ready = true;
		l->zygote.resident = news.resident;
		l->trouble[0] = '\0';
		zygote_init(&l->young);
		return true;
	}
	note_trouble(l, is_news(&news, n) && news.says == ZYGOTE_FAILED && news.text[0]
				? news.text
				: "the warm interpreter died");
	zygote_let_go(z);
	return false;
}

/* Its children. */

/* With others it would be another one: Python's own, those of the C library, and what modules and
 * their libraries read when they are loaded: threads of arithmetic, OpenSSL, matplotlib and the
 * like. */
static const char *const begins[] = {
	"PYTHON", "LD_",     "LC_",       "LANG",  "MALLOC_", "GLIBC_", "OMP_",    "GOMP_", "KMP_",
	"MKL_",   "BLIS",    "OPENBLAS_", "GOTO_", "NUMEXPR", "NPY_",   "OPENSSL", "SSL_",  "MPL",
	"NUMBA_", "POLARS_", "ARROW_",    "CUDA_", "TORCH",   "TF_",    "JAX_",    NULL};

bool zygote_fits(const struct launcher *l, const struct words *words, char *ret_why, size_t room)
{
	const struct warm *warm = &l->plan->profile->warm;
	char variable[80] = "";
	char *own[WARM_ENV_MAX + 1] = {0}, *env[WARM_ENV_MAX + ENVIRONMENT_OWN];
	const char *why = NULL, *first = words->argv[0] ? words->argv[1] : NULL;

	for (size_t i = 0; i < warm->n_env; i++)
		own[i] = (char *)(uintptr_t)warm->env[i];
	environment_build(language_of(warm), own, env);
	if (never(l))
		why = never(l);
	else if (strcmp(words->argv[0], warm->program) != 0)
		why = "another program than the warm one";
	else if (!first || (first[0] == '-' && (strcmp(first, "-c") != 0 || !words->argv[2])))
		why = "options of the interpreter, or no script";
	else if (!startenv_same(begins, env, words->env, variable, sizeof(variable)))
		why = variable;
	else if (!l->zygote.ready)
		why = l->trouble[0] ? l->trouble : "the warm interpreter is not ready yet";
	(void)snprintf(ret_why, room, "%s", why ? why : "");
	return !why;
}

static void write_order(const struct launcher *l, const struct payload *p, struct zygote_order *ret)
{
	const struct seccomp_program *second = &l->filter_second;
	const struct sealing *s = &p->seal;

	memset(ret, 0, offsetof(struct zygote_order, filter));
	ret->magic = ZYGOTE_MAGIC;
	ret->root_mode = s->root_mode;
	ret->marks = s->marks;
	ret->memory_by_rlimit = s->memory_by_rlimit;
	ret->has_rules = s->rules >= 0;
	ret->v2_door = s->v2_door >= 0;
	ret->n_doors = (uint32_t)s->n_doors;
	ret->first_len = l->filter_first.len;
	ret->filter_len = second->len;
	ret->limits = *s->limits;
	if (s->cwd)
		(void)snprintf(ret->cwd, sizeof(ret->cwd), "%s", s->cwd);
	memcpy(ret->filter, second->code, second->len * sizeof(*ret->filter));
}

static int send_order(struct launcher *l, const struct payload *p, struct error *err)
{
	struct zygote_order *order = order_room();
	const struct sealing *s = &p->seal;
	int fds[ZYGOTE_FDS_MAX] = {s->pidfd, s->root, s->door};
	size_t n = ZYGOTE_FDS;

	write_order(l, p, order);
	if (s->rules >= 0)
		fds[n++] = s->rules;
	if (s->v2_door >= 0)
		fds[n++] = s->v2_door;
	for (size_t i = 0; i < s->n_doors; i++)
		fds[n++] = s->doors[i];
	return fd_send(l->zygote.control, order, zygote_order_size(order), fds, n, err);
}

/* Does it have a child, or not?  Whoever it bore and could not tell us about is a child of ours
 * now, somewhere in the box, and nobody knows its name: then the whole slot goes, and nothing has
 * run. */
static int await_birth(struct launcher *l, struct zygote_news *ret)
{
	struct pollfd fd = {.fd = l->zygote.control, .events = POLLIN};
	struct error err;
	ssize_t n = -1;

	if (poll(&fd, 1, BEAR_MS) > 0)
		n = recv(l->zygote.control, ret, sizeof(*ret), MSG_DONTWAIT);
	if (!is_news(ret, n) || ret->says != ZYGOTE_BORN) {
		(void)fail(&err, ERR_SYSTEM, "the warm interpreter died when it bore a child");
		launcher_give_up(l, &err);
	}
	return ret->pid > 0 ? 0 : -1;
}

int zygote_bear(struct launcher *l, struct payload *p, pid_t *ret_pid, struct error *err)
{
	struct board *board = p->seal.board;
	struct zygote_news news = {0};

	*ret_pid = 0;
	board->error = (struct error){0};
	board->start_us = board->mark = board->used_user_us = board->used_system_us = 0;
	board->became_cold = 0;
	if (send_order(l, p, err) < 0) {
		note_trouble(l, "the warm interpreter has died");
	} else if (await_birth(l, &news) < 0) {
		char why[sizeof(l->trouble)];

		(void)snprintf(why, sizeof(why), "the warm interpreter bore no child: %s",
			       strerror(-news.pid));
		note_trouble(l, why);
	} else {
		l->zygote.children++;
		*ret_pid = news.pid;
		return 0;
	}
	zygote_let_go(&l->zygote);
	return fail(err, ERR_SYSTEM, "%s", l->trouble);
}
