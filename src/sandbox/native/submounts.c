/* SPDX-License-Identifier: Apache-2.0 */
/* submounts.c - what is mounted beneath a directory of the host that is to be granted. */
#include "sandbox/native/submounts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/text.h"
#include "sandbox/native/trustpath.h"

static const char *const kernel_types[] = {
	"proc",       "sysfs",      "cgroup",     "cgroup2", "debugfs",     "tracefs",
	"securityfs", "devpts",     "devtmpfs",   "bpf",     "pstore",      "configfs",
	"efivarfs",   "mqueue",     "fusectl",    "nsfs",    "binfmt_misc", "hugetlbfs",
	"selinuxfs",  "smackfs",    "rpc_pipefs", "nfsd",    "resctrl",     "autofs",
	"binder",     "functionfs", "xenfs",      "spufs",   "pidfs",
};

struct line {
	uint64_t id;
	char *point, *type; /* within the line */
};

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Blanks and the like are written as \040. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && is_octal(from[2]) &&
		    is_octal(from[3])) {
			*to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* id parent device root point options tags... - type source options */
static bool parse(char *text, struct line *ret)
{
	char *rest = strstr(text, " - ");
	char *word = NULL;
	struct error ignored = {0};

	if (!rest)
		return false;
	*rest = '\0';
	rest += 3;
	ret->type = strsep(&rest, " ");
	word = strsep(&text, " ");
	if (text_parse_uint(word, &ret->id, &ignored) < 0)
		return false;
	for (int i = 0; i < 3; i++)
		(void)strsep(&text, " ");
	ret->point = strsep(&text, " ");
	if (!ret->point)
		return false;
	unescape(ret->point);
	return true;
}

static bool is_kernel_type(const char *type)
{
	for (size_t i = 0; i < ARRAY_LEN(kernel_types); i++)
		if (strcmp(type, kernel_types[i]) == 0)
			return true;
	return false;
}

static int judge(const struct line *mount, struct error *err)
{
	char point[200];

	if (!is_kernel_type(mount->type))
		return 0;
	text_escape(mount->point, strlen(mount->point), point, sizeof(point));
	return fail(err, ERR_CALLER,
		    "%s is mounted at %s: file systems of the kernel (/proc, /sys...) are not "
		    "granted, nor what they lie beneath",
		    mount->type, point);
}

static int scan(FILE *table, const char *name, uint64_t id, size_t *ret_count, struct error *err)
{
	own_str text = NULL;
	size_t room = 0, len = strlen(name);

	*ret_count = 0;
	while (getline(&text, &room, table) > 0) {
		struct line mount;
		bool beneath;

		if (!parse(text, &mount))
			return fail(err, ERR_SYSTEM,
				    "a line of /proc/self/mountinfo makes no sense");
		beneath = strncmp(mount.point, name, len) == 0 && mount.point[len] == '/';
		if ((beneath || mount.id == id) && judge(&mount, err) < 0)
			return -1;
		*ret_count += beneath;
	}
	return ferror(table) ? fail_sys(err, "read /proc/self/mountinfo") : 0;
}

int submounts_check(int fd, size_t *ret_count, struct error *err)
{
	own_file table = NULL;
	own_str name = NULL;
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st) < 0)
		return fail_sys(err, "look for its mount");
	if (fd_name(fd, &name, err) < 0)
		return -1;
	table = fopen("/proc/self/mountinfo", "re");
	if (!table)
		return fail_sys(err, "open /proc/self/mountinfo");
	return scan(table, name, st.stx_mnt_id, ret_count, err);
}
