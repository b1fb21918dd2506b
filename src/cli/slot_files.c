/* SPDX-License-Identifier: Apache-2.0 */
/* slot_files.c - belljar slot moves files for a peer that has no right over them.
 *
 * The peer names a file beneath /work and nothing else; bytes travel in sealed
 * memory.  All is done with the file system ids of the box's user: whatever the
 * peer asks for, and whatever lies in the box, we can do no more than it could.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/pages.h"
#include "cli/slotserver.h"
#include "lib/artifacts.h"
#include "sandbox/native/copyin.h"
#include "sandbox/native/copyout.h"
#include "sandbox/native/workfiles.h"

static const int none[SAY_FDS] = {-1, -1};

struct ids {
	uid_t uid;
	gid_t gid;
};

static struct ids become_owner(const struct server *s)
{
	struct ids old;

	old.gid = (gid_t)setfsgid(slot_gid(s->slot));
	old.uid = (uid_t)setfsuid(slot_uid(s->slot));
	return old;
}

static void become_self(const struct ids *old)
{
	(void)setfsuid(old->uid);
	(void)setfsgid(old->gid);
}

/* Sealed memory does not change, does not shrink, and never makes us wait. */
static int map_bytes(const struct ask *a, struct pages *ret, struct error *err)
{
	const int needed = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW;
	struct stat st;
	void *room;

	if (a->n_fds != 1 || (fcntl(a->fds[0], F_GET_SEALS) & needed) != needed ||
	    fcntl(a->fds[0], F_GET_SEALS) < 0 || fstat(a->fds[0], &st) < 0)
		return fail(err, ERR_INTERNAL, "bytes came that are not sealed memory");
	if (st.st_size > KEPT_PUT_MAX)
		return fail(err, ERR_CALLER, "at most %d MiB can be put at once",
			    KEPT_PUT_MAX >> 20);
	*ret = (struct pages){0};
	if (st.st_size == 0)
		return 0;
	room = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, a->fds[0], 0);
	if (room == MAP_FAILED)
		return fail_sys(err, "map the bytes of a file");
	*ret = (struct pages){room, (size_t)st.st_size};
	return 0;
}

static int put_before(struct server *s, const struct ask *a, const struct copyin_text *text,
		      struct error *err)
{
	struct ids old;
	int work, result;

	if (slot_box(s->slot, &a->request->limits, &work, err) < 0)
		return -1;
	s->touched = true;
	old = become_owner(s);
	result = copyin_bytes(work, a->request->path, text, slot_uid(s->slot), slot_gid(s->slot),
			      err);
	become_self(&old);
	return result;
}

static int put_meanwhile(struct server *s, const struct ask *a, const struct copyin_text *text,
			 struct error *err)
{
	struct ids old = become_owner(s);
	int result = workfiles_put(slot_work(s->slot), a->request->path, text, err);

	become_self(&old);
	return result;
}

static void answer_put(struct server *s, const struct ask *a, const struct error *err)
{
	struct talk_reply reply = {0};

	if (a->request->flags & ASK_UNANSWERED && !s->kept) {
		if (s->put_error.kind == ERR_NONE)
			s->put_error = *err;
	} else if (err->kind != ERR_NONE) {
		server_fail(s, err);
	} else {
		server_done(s, &reply, none);
	}
}

void server_put(struct server *s, const struct ask *a)
{
	own(pages) bytes = {0};
	struct copyin_text text;
	struct error err = {0};

	if (map_bytes(a, &bytes, &err) < 0) {
		answer_put(s, a, &err);
		return;
	}
	text = (struct copyin_text){bytes.room ? bytes.room : "", bytes.size,
				    a->request->flags & ASK_EXECUTABLE ? 0755 : 0644};
	if ((s->kept ? put_meanwhile : put_before)(s, a, &text, &err) < 0 && err.kind == ERR_NONE)
		(void)fail(&err, ERR_INTERNAL, "a file could not be put into the box");
	answer_put(s, a, &err);
}

static int collect(struct server *s, const struct ask *a, struct account *account, int heap,
		   struct error *err)
{
	const struct talk_request *r = a->request;
	struct copyout_caps caps;

	copyout_caps_for(&s->stayed_limits, &caps);
	if (r->most < caps.total_bytes)
		caps.total_bytes = caps.file_bytes = r->most;
	if (r->files < caps.files)
		caps.files = r->files;
	return copyout_into_heap(s->stayed, r->path, heap, &caps, account, err);
}

void server_collect(struct server *s, const struct ask *a)
{
	own_fd heap = memfd_create("belljar-files", MFD_CLOEXEC | MFD_ALLOW_SEALING), list = -1;
	struct talk_reply reply = {0};
	struct account account = {0};
	struct error err = {0};

	s->done |= s->spent && a->request->flags & ASK_LAST;
	if (s->stayed < 0)
		(void)fail(&err, ERR_INTERNAL, "there are no files to collect");
	else if (heap < 0)
		(void)fail_sys(&err, "memory for files");
	else if (collect(s, a, &account, heap, &err) == 0)
		list = artifacts_list(&account, &err);
	if (list >= 0 &&
	    fcntl(heap, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		(void)fail_sys(&err, "seal memory for files");
	reply.count = (uint32_t)account.n_artifacts;
	if (err.kind == ERR_NONE)
		server_done(s, &reply, (const int[SAY_FDS]){list, heap});
	else
		server_fail(s, &err);
	account_done(&account);
	if (a->request->flags & ASK_LAST) {
		own_fd_end(&s->stayed);
		s->stayed = -1;
	}
}

void server_get(struct server *s, const struct ask *a)
{
	const struct talk_request *r = a->request;
	own_fd bytes = memfd_create("belljar-file", MFD_CLOEXEC);
	const struct workpiece piece = {r->from, r->most, bytes};
	struct talk_reply reply = {0};
	struct error err = {0};
	struct ids old = become_owner(s);
	int result =
		bytes < 0 ? fail_sys(&err, "memory for a file")
			  : workfiles_get(slot_work(s->slot), r->path, &piece, &reply.total, &err);

	become_self(&old);
	if (result < 0 || lseek(bytes, 0, SEEK_SET) < 0)
		server_fail(s, &err);
	else
		server_done(s, &reply, (const int[SAY_FDS]){bytes, -1});
}

void server_stat(struct server *s, const struct ask *a)
{
	struct talk_reply reply = {0};
	struct error err = {0};
	struct ids old = become_owner(s);
	int result = workfiles_stat(slot_work(s->slot), a->request->path, &reply.entry, &err);

	become_self(&old);
	if (result < 0)
		server_fail(s, &err);
	else
		server_done(s, &reply, none);
}

void server_list(struct server *s, const struct ask *a)
{
	struct worklist list = {.room = KEPT_LIST_MAX};
	own(pages) room = {.size = KEPT_LIST_MAX * sizeof(*list.entries)};
	struct talk_reply reply = {0};
	struct error err = {0};
	own_fd rows = -1;
	struct ids old;

	room.room = list.entries = pages_new(room.size);
	if (!room.room) {
		(void)fail_sys(&err, "allocate a list");
		server_fail(s, &err);
		return;
	}
	old = become_owner(s);
	if (workfiles_list(slot_work(s->slot), a->request->path, &list, &err) == 0)
		rows = artifacts_pack(list.entries, list.n * sizeof(*list.entries), &err);
	become_self(&old);
	reply.count = (uint32_t)list.n;
	reply.flags = list.cut ? SAY_CUT : 0;
	if (rows < 0)
		server_fail(s, &err);
	else
		server_done(s, &reply, (const int[SAY_FDS]){rows, -1});
}

void server_mkdir(struct server *s, const struct ask *a)
{
	struct talk_reply reply = {0};
	struct error err = {0};
	struct ids old = become_owner(s);
	int result = workfiles_mkdir(slot_work(s->slot), a->request->path, &err);

	become_self(&old);
	if (result < 0)
		server_fail(s, &err);
	else
		server_done(s, &reply, none);
}

void server_remove(struct server *s, const struct ask *a)
{
	struct talk_reply reply = {0};
	struct error err = {0};
	struct ids old = become_owner(s);
	int result = workfiles_remove(slot_work(s->slot), a->request->path,
				      (a->request->flags & ASK_RECURSIVE) != 0, &err);

	become_self(&old);
	if (result < 0)
		server_fail(s, &err);
	else
		server_done(s, &reply, none);
}
