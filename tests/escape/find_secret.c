/* SPDX-License-Identifier: Apache-2.0 */
/* find_secret.c - attacks the made-up environment: find a word of the caller's.
 *
 * The word comes in two halves, FRONT BACK, so that our own arguments do not hold it.
 */
#include <dirent.h>
#include <fcntl.h>

#include "escape.h"

extern char **environ;

static bool file_holds(const char *pid, const char *name, const char *word)
{
	static char data[1 << 18];
	char path[64];
	size_t len = 0;
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%.20s/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (len < sizeof(data) && (n = read(fd, data + len, sizeof(data) - len)) > 0)
		len += (size_t)n;
	(void)close(fd);
	return memmem(data, len, word, strlen(word));
}

int main(int argc, char **argv)
{
	char word[256];
	struct dirent *entry;
	DIR *proc = opendir("/proc");

	(void)snprintf(word, sizeof(word), "%s%s", need_arg(argc, argv, 1, "front"),
		       need_arg(argc, argv, 2, "back"));
	tried("look for a word of the caller's");
	for (char **entry_of = environ; *entry_of; entry_of++)
		if (strstr(*entry_of, word))
			escaped("our own environment holds it");
	while (proc && (entry = readdir(proc)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    (file_holds(entry->d_name, "environ", word) ||
		     file_holds(entry->d_name, "cmdline", word)))
			escaped("process %s holds it", entry->d_name);
	blocked("nowhere");
}
