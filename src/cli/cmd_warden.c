/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_warden.c - belljar warden: of all roles of the service the only one that makes slots.
 *
 *     belljar warden --control FD --ceiling FD [--slots N]
 *
 * The supervisor starts it, and tells it over the control socket which sockets
 * are keepers' and what the ceiling is.  When that socket closes it ends, and
 * every slot with it; if it is killed, its slots see that themselves.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/warden.h"

/* From its beginning, whoever has read in it before.  Only what does not make us wait. */
static int load_ceiling(int fd, struct ceiling *c, struct error *err)
{
	own_str text = malloc(CEILING_TEXT_MAX + 1);
	struct ceiling fresh;
	struct stat st;
	size_t len = 0;
	ssize_t n;

	if (!text)
		return fail_sys(err, "read the ceiling");
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return fail(err, ERR_CONFIG, "the ceiling is not in a file");
	while ((n = pread(fd, text + len, CEILING_TEXT_MAX + 1 - len, (off_t)len)) > 0)
		len += (size_t)n;
	if (n < 0)
		return fail_sys(err, "read the ceiling");
	if (ceiling_parse(text, len, &fresh, err) < 0)
		return -1;
	ceiling_done(c);
	*c = fresh;
	return 0;
}

static void take_ceiling(struct warden *w, int fd)
{
	struct error err = {0};

	if (load_ceiling(fd, &w->ceiling, &err) == 0) {
		warden_control_answer(w->control, NULL);
	} else {
		warden_control_answer(w->control, &err);
		(void)fail_in(&err, "warden: the old ceiling stays");
		(void)cli_complain(&err);
	}
	(void)close(fd);
}

/* false: the supervisor is gone, or says what none of ours says. */
static bool hear_control(struct warden *w)
{
	enum warden_control_kind kind;
	struct error err = {0};
	int fd;

	if (warden_control_take(w->control, &kind, &fd, &err) <= 0)
		return err.sys == EAGAIN;
	if (kind == WARDEN_CONTROL_KEEPER)
		warden_add_keeper(w, fd);
	else if (kind == WARDEN_CONTROL_PING)
		warden_control_pong(w->control);
	else
		take_ceiling(w, fd);
	return true;
}

/* Those that are gone first, whatever they said last: their slots make room. */
static void hear_keepers(struct warden *w, const struct pollfd *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fds[i].fd >= 0 && fds[i].revents & ~POLLIN)
			warden_drop_keeper(&w->keepers[i]);
	for (size_t i = 0; i < n; i++) {
		struct warden_keeper *k = &w->keepers[i];

		if (k->sock >= 0 && k->sock == fds[i].fd && fds[i].revents & POLLIN &&
		    warden_may_hear(w, k))
			warden_hear_keeper(w, k);
	}
}

/* Slots first: those that have ended make room. */
static bool serve_once(struct warden *w)
{
	size_t keepers = w->keepers_top, boxes = w->boxes_top, n = 1;
	int wait_ms = warden_kill_overdue(w);

	w->fds[0] = (struct pollfd){.fd = w->control, .events = POLLIN};
	for (size_t i = 0; i < keepers; i++)
		w->fds[n++] = (struct pollfd){
			.fd = w->keepers[i].sock,
			.events = warden_may_hear(w, &w->keepers[i]) ? POLLIN : 0,
		};
	for (size_t i = 0; i < boxes; i++)
		w->fds[n++] = (struct pollfd){.fd = w->boxes[i].pidfd, .events = POLLIN};
	if (poll(w->fds, n, wait_ms) < 0)
		return errno == EINTR;
	for (size_t i = 0; i < boxes; i++)
		if (w->fds[1 + keepers + i].revents)
			(void)warden_reap(&w->boxes[i]);
	hear_keepers(w, w->fds + 1, keepers);
	return !w->fds[0].revents || hear_control(w);
}

/* Whoever goes on asking is not heard any more. */
static void finish(struct warden *w)
{
	for (size_t i = 0; i < w->keepers_top; i++)
		if (w->keepers[i].sock >= 0)
			warden_drop_keeper(&w->keepers[i]);
	warden_dismiss_all(w);
	while (warden_count_boxes(w)) {
		int wait_ms = warden_kill_overdue(w);
		size_t n = 0;

		for (size_t i = 0; i < w->boxes_top; i++)
			w->fds[n++] = (struct pollfd){.fd = w->boxes[i].pidfd, .events = POLLIN};
		if (poll(w->fds, n, wait_ms) < 0 && errno != EINTR)
			return;
		for (size_t i = 0; i < w->boxes_top; i++)
			if (w->boxes[i].pidfd >= 0)
				(void)warden_reap(&w->boxes[i]);
	}
	ceiling_done(&w->ceiling);
}

/* --name NUMBER */
static int take_number(char ***argv, const char *name, uint64_t most, uint64_t *ret,
		       struct error *err)
{
	if (strcmp(**argv, name) != 0)
		return 0;
	if (!(*argv)[1] || text_parse_uint((*argv)[1], ret, err) < 0 || *ret > most)
		return fail(err, ERR_CALLER, "%s: a number up to %llu is due", name,
			    (unsigned long long)most);
	*argv += 2;
	return 1;
}

static int parse(struct warden *w, char **argv, int *ret_ceiling, struct error *err)
{
	uint64_t control = 0, ceiling = 0;

	w->slots_max = CEILING_SLOTS_MAX;
	argv++;
	while (*argv) {
		int took = take_number(&argv, "--control", INT_MAX, &control, err);

		if (took == 0)
			took = take_number(&argv, "--ceiling", INT_MAX, &ceiling, err);
		if (took == 0)
			took = take_number(&argv, "--slots", CEILING_SLOTS_MAX, &w->slots_max, err);
		if (took < 0)
			return -1;
		if (took == 0)
			return fail(err, ERR_CALLER, "warden: what is %s?", *argv);
	}
	if (control < 3 || ceiling < 3 || control == ceiling)
		return fail(
			err, ERR_CALLER,
			"belljar warden is started by belljar serve: --control FD --ceiling FD");
	w->control = (int)control;
	*ret_ceiling = (int)ceiling;
	return 0;
}

/* Each keeper and each slot takes some descriptors; slots set their programs' limit themselves. */
static void raise_files(void)
{
	struct rlimit now;

	if (getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_cur < now.rlim_max) {
		now.rlim_cur = now.rlim_max < 8192 ? now.rlim_max : 8192;
		(void)setrlimit(RLIMIT_NOFILE, &now);
	}
}

/* What we have from the supervisor is the two descriptors and nothing else. */
static int withdraw(struct warden *w, int ceiling, struct error *err)
{
	unsigned low = (unsigned)(w->control < ceiling ? w->control : ceiling);
	unsigned high = (unsigned)(w->control < ceiling ? ceiling : w->control);
	int kind = 0, flags = fcntl(w->control, F_GETFL);
	socklen_t len = sizeof(kind);

	if ((low > 3 && close_range(3, low - 1, 0) < 0) ||
	    (high > low + 1 && close_range(low + 1, high - 1, 0) < 0) ||
	    close_range(high + 1, ~0u, 0) < 0)
		return fail_sys(err, "close descriptors");
	if (flags < 0 || getsockopt(w->control, SOL_SOCKET, SO_TYPE, &kind, &len) < 0 ||
	    kind != SOCK_SEQPACKET)
		return fail(err, ERR_CALLER, "--control %d is no socket for messages", w->control);
	if (fcntl(w->control, F_SETFL, flags | O_NONBLOCK) < 0 ||
	    fcntl(w->control, F_SETFD, FD_CLOEXEC) < 0 || fcntl(ceiling, F_SETFD, FD_CLOEXEC) < 0)
		return fail_sys(err, "set descriptors");
	if (chdir("/") < 0)
		return fail_sys(err, "chdir /");
	/* Nobody of the same user reads or changes us; no exec brings rights that we have not. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return fail_sys(err, "give up rights");
	raise_files();
	return 0;
}

int cmd_warden(int argc, char **argv)
{
	own_mem struct warden *w = calloc(1, sizeof(*w));
	struct error err = {0};
	int ceiling = -1;

	(void)argc;
	if (!w)
		return (void)fail_sys(&err, "warden"), cli_complain(&err);
	if (parse(w, argv, &ceiling, &err) < 0 || withdraw(w, ceiling, &err) < 0)
		return cli_complain(&err);
	if (load_ceiling(ceiling, &w->ceiling, &err) < 0) {
		warden_control_answer(w->control, &err);
		return cli_complain(&err);
	}
	(void)close(ceiling);
	warden_control_answer(w->control, NULL);
	while (serve_once(w))
		;
	finish(w);
	return 0;
}
