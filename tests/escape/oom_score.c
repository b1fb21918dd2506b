/* SPDX-License-Identifier: Apache-2.0 */
/* oom_score.c - attacks the order of victims: let the kernel kill somebody else for our memory. */
#include <fcntl.h>

#include "escape.h"

static bool put(const char *text)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	bool fine = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		(void)close(fd);
	return fine;
}

static int score(void)
{
	int value = 0;
	FILE *file = fopen("/proc/self/oom_score_adj", "re");

	if (!file || fscanf(file, "%d", &value) != 1)
		cannot("read oom_score_adj: %m");
	(void)fclose(file);
	return value;
}

int main(void)
{
	int before = score();
	char text[16];

	tried("lower oom_score_adj from %d", before);
	for (int lower = -1000; lower < before; lower += 50) {
		(void)snprintf(text, sizeof(text), "%d", lower);
		if (put(text) && score() < before)
			escaped("it is %d now", score());
	}
	blocked("still %d: %m", score());
}
