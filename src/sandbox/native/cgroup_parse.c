/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_parse.c - reads the kernel's tables about control groups, one line at a time.
 *
 * The tables come from the kernel, but paths in them are chosen by whoever made
 * the mount or the group.  A line that is odd in any way is no line: nothing is
 * guessed, and the controller is then reported as missing.
 */
#include "sandbox/native/cgroup_parse.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"

static const char *const controller_names[] = {
	[CONTROLLER_MEMORY] = "memory",
	[CONTROLLER_PIDS] = "pids",
	[CONTROLLER_CPU] = "cpu",
	[CONTROLLER_CPUACCT] = "cpuacct",
};
static_assert(ARRAY_LEN(controller_names) == CONTROLLER_COUNT, "one name per controller");

/* A piece of somebody else's text. */
struct span {
	const char *at;
	size_t len;
};

const char *controller_name(enum controller controller)
{
	return controller_names[controller];
}

static bool span_is(struct span s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.at, text, s.len) == 0;
}

/* Takes the piece up to the next stop character; false at the end of the line. */
static bool next_piece(const char **line, const char *stops, struct span *ret)
{
	size_t len;

	if (**line == '\0' || **line == '\n')
		return false;
	len = strcspn(*line, stops);
	*ret = (struct span){*line, len};
	*line += len;
	if (**line != '\0' && **line != '\n')
		(*line)++;
	return true;
}

static bool next_word(const char **line, struct span *ret)
{
	*line += strspn(*line, " ");
	return next_piece(line, " \n", ret);
}

static unsigned octal_digit(char c)
{
	return c >= '0' && c <= '7' ? (unsigned)(c - '0') : 8;
}

/* mountinfo writes blank, tab, newline and backslash as \ooo. */
static bool unescape(struct span in, char *out, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < in.len; i++) {
		unsigned value = (unsigned char)in.at[i];

		if (value == '\\') {
			if (in.len - i < 4)
				return false;
			value = 0;
			for (size_t k = 1; k <= 3; k++) {
				if (octal_digit(in.at[i + k]) > 7)
					return false;
				value = value * 8 + octal_digit(in.at[i + k]);
			}
			i += 3;
		}
		if (value == 0 || value > 255 || n + 1 >= room)
			return false;
		out[n++] = (char)value;
	}
	out[n] = '\0';
	return true;
}

/* "/.." is how the kernel shows a group above the root of our cgroup namespace. */
static bool is_plain_path(const char *path)
{
	if (path[0] != '/')
		return false;
	for (const char *at = path; (at = strstr(at, "/..")); at += 3)
		if (at[3] == '/' || at[3] == '\0')
			return false;
	return true;
}

static bool take_path(struct span in, char *out)
{
	return unescape(in, out, CGROUP_PATH_MAX) && is_plain_path(out);
}

static bool list_has(struct span list, const char *name)
{
	for (size_t i = 0; i < list.len;) {
		const char *end = memchr(list.at + i, ',', list.len - i);
		size_t len = end ? (size_t)(end - list.at) - i : list.len - i;

		if (span_is((struct span){list.at + i, len}, name))
			return true;
		i += len + 1;
	}
	return false;
}

static unsigned controllers_in(struct span list)
{
	unsigned found = 0;

	for (unsigned i = 0; i < CONTROLLER_COUNT; i++)
		if (list_has(list, controller_names[i]))
			found |= 1U << i;
	return found;
}

static bool skip_optional_fields(const char **line)
{
	struct span word;

	while (next_word(line, &word))
		if (span_is(word, "-"))
			return true;
	return false;
}

bool cgroup_parse_mount(const char *line, struct cgroup_mount *ret)
{
	struct span ids[3], root, point, options, type, source, super;
	struct cgroup_mount m = {0};

	for (size_t i = 0; i < ARRAY_LEN(ids); i++) /* mount, parent, device */
		if (!next_word(&line, &ids[i]))
			return false;
	if (!next_word(&line, &root) || !next_word(&line, &point) || !next_word(&line, &options))
		return false;
	if (!skip_optional_fields(&line) || !next_word(&line, &type) || !next_word(&line, &source))
		return false;
	if (!next_word(&line, &super))
		return false;
	m.version = span_is(type, "cgroup2") ? 2 : span_is(type, "cgroup") ? 1 : 0;
	m.controllers = m.version == 1 ? controllers_in(super) : 0;
	m.read_only = list_has(options, "ro") || list_has(super, "ro");
	if (m.version == 0 || (m.version == 1 && m.controllers == 0))
		return false;
	if (!take_path(root, m.root) || !take_path(point, m.point))
		return false;
	if (strcmp(m.point, "/") == 0)
		m.point[0] = '\0';
	*ret = m;
	return true;
}

bool cgroup_parse_self(const char *line, struct cgroup_self *ret)
{
	struct cgroup_self s = {0};
	struct span id, list, path;

	if (!next_piece(&line, ":\n", &id) || !next_piece(&line, ":\n", &list) || id.len == 0)
		return false;
	path = (struct span){line, strcspn(line, "\n")};
	s.version = list.len == 0 && span_is(id, "0") ? 2 : 1;
	s.controllers = controllers_in(list);
	if (s.version == 1 && s.controllers == 0)
		return false;
	if (path.len >= sizeof(s.path))
		return false;
	memcpy(s.path, path.at, path.len);
	if (!is_plain_path(s.path))
		return false;
	*ret = s;
	return true;
}

bool cgroup_parse_beneath(const char *root, const char *path, char *ret, size_t room)
{
	size_t len = strlen(root);

	if (len && root[len - 1] == '/')
		len--;
	if (strncmp(path, root, len) != 0 || (path[len] != '/' && path[len] != '\0'))
		return false;
	path += len;
	len = strlen(path);
	while (len && path[len - 1] == '/')
		len--;
	if (len >= room)
		return false;
	memcpy(ret, path, len);
	ret[len] = '\0';
	return true;
}

bool cgroup_parse_has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	while (*text) {
		size_t n = strcspn(text, " \n");

		if (n == len && memcmp(text, word, len) == 0)
			return true;
		text += n;
		text += strspn(text, " \n");
	}
	return false;
}

static bool take_number(const char *text, uint64_t *ret)
{
	uint64_t value = 0;

	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(value, 10U, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
			return false;
	*ret = value;
	return true;
}

bool cgroup_parse_value(const char *text, const char *key, uint64_t *ret)
{
	size_t len = strlen(key);

	if (len == 0)
		return take_number(text, ret);
	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, key, len) == 0 && text[len] == ' ')
			return take_number(text + len + 1, ret);
	}
	return false;
}

uint64_t cgroup_parse_sum(const char *text, const char *key)
{
	size_t len = strlen(key);
	uint64_t sum = 0, one;

	for (; *text; text += strcspn(text, " \n"), text += strspn(text, " \n"))
		if (strncmp(text, key, len) == 0 && text[len] == '=' &&
		    take_number(text + len + 1, &one) && __builtin_add_overflow(sum, one, &sum))
			return UINT64_MAX;
	return sum;
}
