/* SPDX-License-Identifier: Apache-2.0 */
/* keyfiles.c - certificate and key, read by the one role that may, for one that has no files.
 *
 * They are not looked into: the front does that, and a front that cannot make
 * sense of them says so and does not begin.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "serve/roles/supervise.h"

enum { KEYFILE_MAX = 1 << 20 };

enum readers { ANYBODY, NO_STRANGERS };

/* A group may read a key: that is how hosts share one between services. */
static int check_file(const struct stat *st, const char *path, enum readers readers,
		      struct error *err)
{
	if (!S_ISREG(st->st_mode) || st->st_size > KEYFILE_MAX)
		return fail(err, ERR_CONFIG, "%s is no file of at most %d bytes", path,
			    KEYFILE_MAX);
	if (readers == NO_STRANGERS && (st->st_mode & S_IRWXO))
		return fail(err, ERR_CONFIG,
			    "the private key %s is open to everybody on this machine: chmod o= it, "
			    "and make a new one if strangers have been here",
			    path);
	return 0;
}

static int add_file(int to, const char *path, enum readers readers, struct error *err)
{
	own_fd from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	own_str text = NULL;
	struct stat st;
	ssize_t n;
	int result;

	if (from < 0)
		return fail_sys(err, "open %s", path);
	if (fstat(from, &st) < 0)
		return fail_sys(err, "look at %s", path);
	if (check_file(&st, path, readers, err) < 0)
		return -1;
	text = calloc(1, KEYFILE_MAX + 1);
	if (!text)
		return fail_sys(err, "read %s", path);
	n = fd_read_all(from, text, KEYFILE_MAX, err);
	if (n < 0)
		return -1;
	result = memchr(text, '\0', (size_t)n) ? fail(err, ERR_CONFIG, "%s is no text (PEM)", path)
					       : fd_write_all(to, text, (size_t)n + 1, err);
	explicit_bzero(text, KEYFILE_MAX);
	return result;
}

int keyfiles_read(const struct plan *p, struct error *err)
{
	own_fd to = memfd_create("tls", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (to < 0)
		return fail_sys(err, "make a file in memory");
	if (add_file(to, p->tls_cert, ANYBODY, err) < 0 ||
	    add_file(to, p->tls_key, NO_STRANGERS, err) < 0 ||
	    (p->tls_client_ca && add_file(to, p->tls_client_ca, ANYBODY, err) < 0))
		return fail_in(err, "serve.tls");
	if (fcntl(to, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return fail_sys(err, "seal a file in memory");
	return take_fd(&to);
}
