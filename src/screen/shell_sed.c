/* SPDX-License-Identifier: Apache-2.0 */
/* shell_sed.c - reads a script of sed far enough to see commands that run programs or write files.
 *
 * Advice only: the box is what stops them.  What cannot be followed counts as found.
 */
#include <string.h>

#include "screen/shell_tree.h"

struct script {
	const char *at;
	bool runs, writes;
};

/* Behind the closing one of a /.../; NULL: never closed. */
static const char *skip_delimited(const char *at, char delimiter)
{
	for (; *at && *at != delimiter; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? at + 1 : NULL;
}

/* Numbers, $, /re/, \cREc, first~step, and what stands between two of them. */
static bool skip_address(struct script *s)
{
	for (;;) {
		char c = *s->at;

		if (c == '/' || (c == '\\' && s->at[1])) {
			size_t skip = c == '/' ? 1 : 2;

			s->at = skip_delimited(s->at + skip, s->at[skip - 1]);
			if (!s->at)
				return false;
			s->at += strspn(s->at, "IM");
		} else if (c && strchr("0123456789$,+~! \t", c)) {
			s->at++;
		} else {
			return true;
		}
	}
}

static bool read_substitute(struct script *s)
{
	char delimiter = s->at[1];
	const char *second = delimiter ? skip_delimited(s->at + 2, delimiter) : NULL;

	s->at = second ? skip_delimited(second, delimiter) : NULL;
	if (!s->at)
		return false;
	for (; *s->at && !strchr(";}\n#", *s->at); s->at++) {
		s->runs |= *s->at == 'e';
		if (*s->at == 'w') { /* a file's name up to the end of the line */
			s->writes = true;
			s->at = strchrnul(s->at, '\n');
			break;
		}
	}
	return true;
}

static bool read_transliterate(struct script *s)
{
	char delimiter = s->at[1];
	const char *second = delimiter ? skip_delimited(s->at + 2, delimiter) : NULL;

	s->at = second ? skip_delimited(second, delimiter) : NULL;
	return s->at != NULL;
}

/* false: the rest cannot be followed. */
static bool read_command(struct script *s)
{
	switch (*s->at) {
	case 's':
		return read_substitute(s);
	case 'y':
		return read_transliterate(s);
	case 'e':
		s->runs = true;
		break;
	case 'w':
	case 'W':
		s->writes = true;
		break;
	case ':':
	case 'b':
	case 't':
	case 'T':
		s->at += strcspn(s->at, ";}\n");
		return true;
	case 'a':
	case 'i':
	case 'c':
	case 'r':
	case 'R':
	case '#':
		break;
	default:
		s->at++;
		return true;
	}
	s->at = strchrnul(s->at, '\n');
	return true;
}

static void read_script(struct script *s)
{
	while (*s->at) {
		s->at += strspn(s->at, " \t\n;{}");
		if (!*s->at)
			return;
		if (!skip_address(s) || (*s->at && !read_command(s))) {
			s->runs = s->writes = true;
			return;
		}
	}
}

static bool is_script_option(const char *word)
{
	return strcmp(word, "-e") == 0 || strcmp(word, "--expression") == 0;
}

/* Every word that may be a script: behind -e, or the first operand. */
static size_t find_in_scripts(const struct shell_words *w, bool runs)
{
	bool given = false;

	for (size_t i = 1; i < w->n; i++) {
		const char *value = w->word[i]->value;
		struct script s = {.at = value};
		bool behind = i > 1 && is_script_option(w->word[i - 1]->value);

		if (value[0] == '-' && !behind) {
			given |= is_script_option(value);
			if (strncmp(value, "--expression=", 13) == 0)
				s.at = value + 13;
			else if (value[1] == 'e' && value[2])
				s.at = value + 2;
			else
				continue;
		} else if (!behind && given) {
			continue; /* a file */
		}
		given = true;
		read_script(&s);
		if (runs ? s.runs : s.writes)
			return i;
	}
	return 0;
}

size_t shell_match_sed_runs(const struct shell_words *w, const struct shell_pattern *p)
{
	(void)p;
	return find_in_scripts(w, true);
}

size_t shell_match_sed_writes(const struct shell_words *w, const struct shell_pattern *p)
{
	(void)p;
	return find_in_scripts(w, false);
}
