/* SPDX-License-Identifier: Apache-2.0 */
/* python_strings.c - what a constant string says: paths, blocks of data, format tricks. */
#include "screen/python.h"

#include <ctype.h>
#include <string.h>

#include "base/own.h"

enum { PATH_MAX_SHOWN = 512, BLOB_BYTES = 800 };

/* Credentials, and files that are the host's affair; a name ends at a slash or at the end. */
static const char *const secret_parts[] = {
	"/etc/shadow",       "/etc/gshadow",    "/etc/sudoers",   "/etc/ssh/",
	"/etc/passwd",       "/.ssh/",          "/.aws/",         "/.gnupg",
	"/.netrc",           "/.docker/config", "/.kube/",        "/.bash_history",
	"/.git-credentials", "/.pgpass",        "/.npmrc",        "/.pypirc",
	"/id_rsa",           "/id_ed25519",     "/docker.sock",   "/proc/self/environ",
	"/proc/1/",          "/proc/self/mem",  "/proc/self/fd",  "/proc/kcore",
	"/proc/kallsyms",    "/proc/sys/",      "/proc/sysrq",    "/dev/mem",
	"/dev/kmem",         "/dev/sda",        "/dev/nvme",      "/dev/tcp/",
	"/dev/udp/",         "/etc/cron",       "/etc/ld.so",     "/etc/rc.local",
	"/etc/systemd",      "/etc/pam.d",      "/sys/fs/cgroup", "/sys/kernel",
	"/var/run/secrets",  "/run/secrets",    "/root/.",        "authorized_keys",
};

static const char *const system_roots[] = {"/etc", "/proc", "/sys", "/root", "/home", "/boot",
					   "/dev", "/var",  "/usr", "/run",  "/bin",  "/sbin",
					   "/lib", "/opt",  "/mnt", "/srv"};

/* Harmless and in every script. */
static const char *const harmless[] = {"/dev/null",    "/dev/stdin",  "/dev/stdout", "/dev/stderr",
				       "/dev/urandom", "/dev/random", "/dev/zero"};

static bool begins_path(const char *path, size_t len, const char *root)
{
	size_t n = strlen(root);

	return len >= n && memcmp(path, root, n) == 0 && (len == n || path[n] == '/');
}

/* One word that begins like a path: no sentence that mentions one. */
static bool looks_like_path(const char *data, size_t len)
{
	if (len == 0 || len > PATH_MAX_SHOWN || (data[0] != '/' && data[0] != '~'))
		return false;
	for (size_t i = 0; i < len; i++)
		if (isspace((unsigned char)data[i]) || data[i] == '<' || data[i] == '\\')
			return false;
	return true;
}

/* "/etc//./passwd" is "/etc/passwd". */
static size_t tidy_path(const char *data, size_t len, char *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (data[i] == '/' && i + 1 < len && data[i + 1] == '/')
			continue;
		if (data[i] == '/' && i + 2 < len && data[i + 1] == '.' && data[i + 2] == '/') {
			i++;
			continue;
		}
		ret[n++] = data[i];
	}
	ret[n] = '\0';
	return n;
}

enum py_path py_path_kind(const char *data, size_t len)
{
	char path[PATH_MAX_SHOWN + 1];
	size_t n;

	if (len > 7 && memcmp(data, "file://", 7) == 0) {
		data += 7;
		len -= 7;
	}
	if (!looks_like_path(data, len))
		return PY_PATH_NONE;
	n = tidy_path(data, len, path);
	for (size_t i = 0; i < ARRAY_LEN(harmless); i++)
		if (strcmp(path, harmless[i]) == 0)
			return PY_PATH_NONE;
	for (size_t i = 0; i < ARRAY_LEN(secret_parts); i++)
		if (strstr(path, secret_parts[i]))
			return PY_PATH_SECRET;
	if (n > 6 && strcmp(path + n - 5, "/.ssh") == 0)
		return PY_PATH_SECRET;
	for (size_t i = 0; i < ARRAY_LEN(system_roots); i++)
		if (begins_path(path, n, system_roots[i]))
			return PY_PATH_SYSTEM;
	return PY_PATH_NONE;
}

bool py_path_is_outside(const char *data, size_t len)
{
	char path[PATH_MAX_SHOWN + 1];
	size_t n;

	if (len == 0 || len > PATH_MAX_SHOWN)
		return false;
	n = tidy_path(data, len, path);
	if (strstr(path, "/../") || strncmp(path, "../..", 5) == 0)
		return true;
	if (path[0] == '~')
		return true;
	if (path[0] != '/' || strcmp(path, "/dev/null") == 0 || strncmp(path, "/dev/std", 8) == 0)
		return false;
	return !begins_path(path, n, "/work") && !begins_path(path, n, "/tmp");
}

/* Long, and nothing but an encoding's alphabet. */
bool py_is_blob(const char *data, size_t len)
{
	bool digits = false, letters = false;

	if (len < BLOB_BYTES)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)data[i];

		if (!isalnum(c) && !strchr("+/=-_\n\r", c ? c : ' '))
			return false;
		digits |= isdigit(c) != 0;
		letters |= isalpha(c) != 0;
	}
	return digits && letters;
}

/* "{0.__class__.__init__.__globals__}" is code for str.format(). */
bool py_is_format_escape(const char *data, size_t len)
{
	static const char *const steps[] = {
		".__globals__", ".__subclasses__", ".__builtins__", "[__builtins__]", ".f_globals",
		".__base__",    ".__mro__",        ".__bases__",    ".__code__",      ".__dict__"};
	const char *open = memchr(data, '{', len);

	for (size_t i = 0; open && i < ARRAY_LEN(steps); i++) {
		size_t left = len - (size_t)(open - data);
		const char *step = memmem(open, left, steps[i], strlen(steps[i]));

		if (step && memchr(step, '}', len - (size_t)(step - data)))
			return true;
	}
	return false;
}
