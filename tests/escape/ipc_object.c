/* SPDX-License-Identifier: Apache-2.0 */
/* ipc_object.c - attacks the ipc namespace: objects that outlive their maker and have no path.
 *
 * make|find|remove KIND KEY: KIND is shm, sem, msg or mq.
 */
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>

#include "escape.h"

enum { EVERYBODY = 0666 };

static char mq_name[32];

static int shm_object(key_t key, int flags)
{
	return shmget(key, 4096, flags);
}

static int sem_object(key_t key, int flags)
{
	return semget(key, 1, flags);
}

static int msg_object(key_t key, int flags)
{
	return msgget(key, flags);
}

static int mq_object(key_t key, int flags)
{
	struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 8};

	(void)key;
	return (int)mq_open(mq_name, O_RDONLY | (flags & IPC_CREAT ? O_CREAT : 0), EVERYBODY,
			    &attr);
}

static void shm_remove(int id)
{
	(void)shmctl(id, IPC_RMID, NULL);
}

static void sem_remove(int id)
{
	(void)semctl(id, 0, IPC_RMID);
}

static void msg_remove(int id)
{
	(void)msgctl(id, IPC_RMID, NULL);
}

static void mq_remove(int id)
{
	(void)id;
	(void)mq_unlink(mq_name);
}

static const struct kind {
	const char *name;
	int (*object)(key_t key, int flags);
	void (*remove)(int id);
} kinds[] = {
	{"shm", shm_object, shm_remove}, /* memory */
	{"sem", sem_object, sem_remove}, /* counters */
	{"msg", msg_object, msg_remove}, /* messages */
	{"mq", mq_object, mq_remove},    /* messages, POSIX */
};

static const struct kind *kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(name, kinds[i].name) == 0)
			return &kinds[i];
	cannot("usage: no such kind: %s", name);
}

int main(int argc, char **argv)
{
	const char *verb = need_arg(argc, argv, 1, "make, find or remove");
	const struct kind *kind = kind_of(need_arg(argc, argv, 2, "kind"));
	key_t key = (key_t)number(need_arg(argc, argv, 3, "key"));
	bool make = strcmp(verb, "make") == 0;
	int id;

	(void)umask(0);
	(void)snprintf(mq_name, sizeof(mq_name), "/belljar-escape-%d", (int)key);
	if (strcmp(verb, "find") == 0) {
		tried("find %s %d", kind->name, (int)key);
		end_by(kind->object(key, EVERYBODY), kind->name);
	}
	id = kind->object(key, make ? IPC_CREAT | EVERYBODY : EVERYBODY);
	if (id < 0)
		cannot("%s %s: %m", verb, kind->name);
	if (!make)
		kind->remove(id);
	return 0;
}
