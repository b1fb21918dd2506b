/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - the words after `belljar run` become a request.
 *
 * One row per option: the parser, --help and the manual's check are made from
 * it.  Limits have their own rows (call/limits.c).
 */
#include "cli/options.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/text.h"
#include "call/limits.h"
#include "sandbox/native/copyin.h"
#include "sandbox/native/trustpath.h"

/* Freed with the options; NULL stays NULL. */
static char *keep(struct run_options *o, char *text)
{
	size_t n = o->n_owned;

	if (text && (n & (n - 1)) == 0) { /* full: the room is the next power of two */
		void **more = reallocarray(o->owned, n ? 2 * n : 1, sizeof(*more));

		if (!more) {
			free(text);
			return NULL;
		}
		o->owned = more;
	}
	if (text)
		o->owned[o->n_owned++] = text;
	return text;
}

static int take_lang(struct run_options *o, const char *value, struct error *err)
{
	o->language = language_find(value, err);
	return o->language ? 0 : fail_in(err, "--lang");
}

static int take_code(struct run_options *o, const char *value, struct error *err)
{
	(void)err;
	o->code = value;
	return 0;
}

/* The path without links; those a program could have left are refused. */
static int resolve(struct run_options *o, const char *path, char **ret_name, struct error *err)
{
	own_fd fd = trustpath_open(path, O_PATH, err);
	char *name = NULL;

	if (fd < 0 || fd_name(fd, &name, err) < 0)
		return -1;
	*ret_name = keep(o, name);
	return *ret_name ? 0 : fail_sys(err, "allocate");
}

/* PATH[:INSIDE]: a colon counts where an absolute path follows it. */
static int take_grant(struct run_options *o, const char *value, bool write, struct error *err)
{
	struct profile *p = &o->request.profile;
	const char *option = write ? "--write" : "--read";
	char *source = keep(o, strdup(value));
	char *colon = source ? strstr(source, ":/") : NULL;
	const char *inside;

	if (!source)
		return fail_sys(err, "allocate");
	if (p->n_grants == GRANTS_MAX)
		return fail(err, ERR_CALLER, "%s: at most %d paths", option, GRANTS_MAX);
	if (colon) {
		*colon = '\0';
		inside = colon + 1;
	} else {
		/* The same name on both sides: what is opened later is what the box sees there. */
		if (resolve(o, source, &source, err) < 0)
			return fail_in(err, "%s", option);
		inside = source;
	}
	if (source[0] == '\0')
		return fail(err, ERR_CALLER, "%s %s: the path on the host is missing", option,
			    value);
	p->grants[p->n_grants++] =
		(struct grant){.source = source, .inside = inside, .write = write};
	return 0;
}

static int take_read(struct run_options *o, const char *value, struct error *err)
{
	return take_grant(o, value, false, err);
}

static int take_write(struct run_options *o, const char *value, struct error *err)
{
	return take_grant(o, value, true, err);
}

/* DEV:INO: what the last grant must still be when it is opened.  Whoever looked at the file before
 * it named it to us says so; a name may come to mean something else in between. */
static int take_same_file(struct run_options *o, const char *value, struct error *err)
{
	struct profile *p = &o->request.profile;
	char *dev = keep(o, strdup(value));
	char *ino = dev ? strchr(dev, ':') : NULL;
	struct grant *g;

	if (!dev)
		return fail_sys(err, "allocate");
	if (p->n_grants == 0 || !ino)
		return fail(err, ERR_CALLER,
			    "--same-file %s: DEV:INO, behind the --read or --write it is about",
			    value);
	*ino++ = '\0';
	g = &p->grants[p->n_grants - 1];
	if (text_parse_uint(dev, &g->dev, err) < 0 || text_parse_uint(ino, &g->ino, err) < 0)
		return fail_in(err, "--same-file");
	return g->ino ? 0 : fail(err, ERR_CALLER, "--same-file: no file has the number 0");
}

static int take_env(struct run_options *o, const char *value, struct error *err)
{
	size_t i = 0;

	if (environment_check(value, err) < 0)
		return -1;
	/* The last value of a name counts. */
	while (i < o->n_env && !environment_same_name(o->env[i], value))
		i++;
	if (i < o->n_env) {
		o->env[i] = (char *)(uintptr_t)value;
		return 0;
	}
	if (o->n_env == ENV_MAX)
		return fail(err, ERR_CALLER, "--env: at most %d variables", ENV_MAX);
	o->env[o->n_env++] = (char *)(uintptr_t)value;
	return 0;
}

static int take_programs(struct run_options *o, const char *value, struct error *err)
{
	struct profile *p = &o->request.profile;
	char *list = keep(o, strdup(value));
	char *rest = list, *word;

	if (!list)
		return fail_sys(err, "allocate");
	while ((word = strsep(&rest, ","))) {
		if (*word == '\0')
			return fail(err, ERR_CALLER,
				    "--programs %s: an empty name; give a list such as ls,cat,grep",
				    value);
		if (p->n_programs == PROGRAMS_MAX)
			return fail(err, ERR_CALLER, "--programs: at most %d", PROGRAMS_MAX);
		p->programs[p->n_programs++] = word;
	}
	return 0;
}

static int take_root(struct run_options *o, const char *value, struct error *err)
{
	char *path;

	if (strcmp(value, "host") == 0) {
		o->request.profile.root = NULL;
		return 0;
	}
	path = keep(o, realpath(value, NULL));
	if (!path)
		return fail(err, ERR_CALLER,
			    "--root %s: %s; give host or a directory made by belljar root build",
			    value, strerror(errno));
	o->request.profile.root = strcmp(path, "/") == 0 ? NULL : path;
	return 0;
}

static int take_proc(struct run_options *o, const char *value, struct error *err)
{
	if (strcmp(value, "full") != 0)
		return fail(err, ERR_CALLER, "--proc %s: the only value is full", value);
	o->request.profile.proc_full = true;
	return 0;
}

static int take_loopback(struct run_options *o, const char *value, struct error *err)
{
	(void)value, (void)err;
	o->request.profile.loopback = true;
	return 0;
}

static int take_stdin(struct run_options *o, const char *value, struct error *err)
{
	(void)value, (void)err;
	o->request.food.fd = 0;
	return 0;
}

static int take_put(struct run_options *o, const char *value, struct error *err)
{
	char *source = keep(o, strdup(value));
	char *colon = source ? strrchr(source, ':') : NULL;
	const char *inside;

	if (!source)
		return fail_sys(err, "allocate");
	if (o->request.n_puts == PUTS_MAX)
		return fail(err, ERR_CALLER, "--put: at most %d files", PUTS_MAX);
	if (colon) {
		*colon = '\0';
		inside = colon + 1;
		/* /work/a and a are the same place. */
		if (strncmp(inside, "/work/", 6) == 0)
			inside += 6;
	} else {
		const char *slash = strrchr(source, '/');

		inside = slash ? slash + 1 : source;
	}
	if (copyin_check_path(inside, err) < 0)
		return fail_in(err, "--put %s", value);
	o->request.puts[o->request.n_puts++] = (struct put){.source = source, .inside = inside};
	return 0;
}

static int take_get(struct run_options *o, const char *value, struct error *err)
{
	char *glob = keep(o, strdup(value));
	char *colon = glob ? strrchr(glob, ':') : NULL;

	if (!glob)
		return fail_sys(err, "allocate");
	if (!colon || colon == glob || colon[1] == '\0')
		return fail(
			err, ERR_CALLER,
			"--get %s: give a pattern in /work and a directory, such as '*.csv:out'",
			value);
	if (o->request.n_gets == GETS_MAX)
		return fail(err, ERR_CALLER, "--get: at most %d patterns", GETS_MAX);
	*colon = '\0';
	if (strncmp(glob, "/work/", 6) == 0)
		glob += 6;
	if (glob_check(glob, err) < 0)
		return fail_in(err, "--get %s", value);
	o->request.gets[o->request.n_gets++] = (struct get){glob, colon + 1};
	return 0;
}

static int take_policy(struct run_options *o, const char *value, struct error *err)
{
	o->policy = value;
	return *value ? 0 : fail(err, ERR_CALLER, "--policy: give a file");
}

static int take_audit(struct run_options *o, const char *value, struct error *err)
{
	o->audit = value;
	return *value ? 0 : fail(err, ERR_CALLER, "--audit: give a directory");
}

static int take_raw(struct run_options *o, const char *value, struct error *err)
{
	(void)value, (void)err;
	o->raw = true;
	return 0;
}

static int take_json(struct run_options *o, const char *value, struct error *err)
{
	(void)value, (void)err;
	o->json = true;
	return 0;
}

static int take_status_fd(struct run_options *o, const char *value, struct error *err)
{
	uint64_t fd;

	if (text_parse_uint(value, &fd, err) < 0 || fd > INT_MAX || fcntl((int)fd, F_GETFD) < 0)
		return fail(err, ERR_CALLER,
			    "--status-fd %s: give the number of a descriptor that is open", value);
	o->status_fd = (int)fd;
	return 0;
}

static int take_quiet(struct run_options *o, const char *value, struct error *err)
{
	(void)value, (void)err;
	o->quiet = true;
	return 0;
}

static int take_explain(struct run_options *o, const char *value, struct error *err)
{
	(void)value, (void)err;
	o->explain = true;
	return 0;
}

static int take_help(struct run_options *o, const char *value, struct error *err)
{
	(void)value, (void)err;
	o->help = true;
	return 0;
}

static int take_degraded(struct run_options *o, const char *value, struct error *err)
{
	own_str list = strdup(value);
	char *rest = list, *word;

	if (!list)
		return fail_sys(err, "allocate");
	while ((word = strsep(&rest, ","))) {
		int layer = layer_by_name(word);

		if (layer < 0)
			return fail(err, ERR_CALLER,
				    "--allow-degraded %s: no such layer; they are listed in "
				    "belljar-run(1), for example memory,processes,cpu",
				    word);
		o->request.profile.allow_degraded |= 1u << layer;
	}
	return 0;
}

static int take_cgroup(struct run_options *o, const char *value, struct error *err)
{
	if (value[0] != '/')
		return fail(err, ERR_CALLER, "--cgroup %s: give an absolute path", value);
	o->request.profile.cgroup = value;
	return 0;
}

const struct option_row option_rows[] = {
	{"lang", "LANG", FOR_COMMAND, take_lang, "run code: python, node or bash"},
	{"read", "PATH[:INSIDE]", FOR_SLOT, take_read, "let it read this file or directory"},
	{"write", "PATH[:INSIDE]", FOR_SLOT, take_write,
	 "let it read and change this file or directory"},
	{"same-file", "DEV:INO", FOR_SLOT, take_same_file,
	 "go on only if the last path is this device and inode"},
	{"env", "NAME=VALUE", FOR_CALL, take_env, "add this to its environment"},
	{"programs", "A,B,C", FOR_SLOT, take_programs, "only these programs exist inside"},
	{"root", "host|DIR", FOR_SLOT, take_root, "its programs: the host's, or a private root"},
	{"proc", "full", FOR_SLOT, take_proc, "a whole /proc, with made-up figures"},
	{"loopback", NULL, FOR_SLOT, take_loopback, "it may talk to itself over TCP and UDP"},
	{"stdin", NULL, FOR_COMMAND, take_stdin, "pass standard input on to it"},
	{"put", "FILE[:INSIDE]", FOR_CALL, take_put, "copy a file into its /work first"},
	{"get", "GLOB:DIR", FOR_CALL, take_get, "copy files out of its /work afterwards"},
	{"policy", "FILE", FOR_COMMAND, take_policy, "another policy file"},
	{"audit", "DIR", FOR_COMMAND, take_audit, "where the log of runs is kept"},
	{"no-redact", NULL, FOR_COMMAND, take_raw,
	 "output and files as they are: binary, with secrets, with control sequences"},
	{"json", NULL, FOR_COMMAND, take_json, "print the account as JSON instead of the output"},
	{"status-fd", "N", FOR_COMMAND, take_status_fd, "write that JSON to descriptor N"},
	{"quiet", NULL, FOR_COMMAND, take_quiet, "no closing line"},
	{"explain", NULL, FOR_COMMAND, take_explain, "say what would be done, and run nothing"},
	{"allow-degraded", "LAYER,...", FOR_SLOT, take_degraded, "go on without these layers"},
	{"cgroup", "DIR", FOR_SLOT, take_cgroup, "make control groups beneath this one"},
	{"help", NULL, FOR_COMMAND, take_help, "this list"},
};
const size_t option_row_count = ARRAY_LEN(option_rows);

void options_init(struct run_options *o)
{
	request_set_defaults(&o->request);
	o->status_fd = -1;
}

void options_done(struct run_options *o)
{
	for (size_t i = 0; i < o->n_owned; i++)
		free(o->owned[i]);
	free(o->owned);
	o->owned = NULL;
	o->n_owned = 0;
}

/* name: without its dashes; a value may follow it. */
static int unknown_option(const char *name, struct error *err)
{
	const char *names[ARRAY_LEN(option_rows) + 16] = {0};
	const char *near;
	char word[64];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(option_rows); i++)
		names[n++] = option_rows[i].name;
	for (size_t i = 0; i < limit_row_count && n < ARRAY_LEN(names) - 1; i++)
		names[n++] = limit_rows[i].name;
	(void)snprintf(word, sizeof(word), "%.*s", (int)strcspn(name, "="), name);
	near = text_nearest(word, names);
	return fail(err, ERR_CALLER, "there is no option --%s%s%s; see belljar run --help", word,
		    near ? "; did you mean --" : "", near ? near : "");
}

static const struct option_row *find_in(const struct option_row *rows, size_t n, const char *name,
					size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(rows[i].name) == len && strncmp(rows[i].name, name, len) == 0)
			return &rows[i];
	return NULL;
}

static const struct option_row *find_row(const struct run_options *o, const char *name, size_t len)
{
	const struct option_row *row = find_in(option_rows, ARRAY_LEN(option_rows), name, len);

	return row || !o->for_slot ? row
				   : find_in(slot_option_rows, slot_option_row_count, name, len);
}

static const struct limit_row *find_limit(const char *name, size_t len)
{
	for (size_t i = 0; i < limit_row_count; i++)
		if (strlen(limit_rows[i].name) == len &&
		    strncmp(limit_rows[i].name, name, len) == 0)
			return &limit_rows[i];
	return NULL;
}

/* --name VALUE or --name=VALUE; *argv is left at the last word used. */
static int take_long(struct run_options *o, char ***argv, struct error *err)
{
	const char *word = **argv;
	size_t len = strcspn(word + 2, "=");
	const struct option_row *row = find_row(o, word + 2, len);
	const struct limit_row *limit = find_limit(word + 2, len);
	const char *value = word[2 + len] == '=' ? word + 3 + len : NULL;

	if (!row && !limit)
		return unknown_option(word + 2, err);
	if (row && !row->metavar) {
		if (value)
			return fail(err, ERR_CALLER, "--%s takes no value", row->name);
		return row->take(o, NULL, err);
	}
	if (!value) {
		value = *++*argv;
		if (!value) {
			--*argv;
			return fail(err, ERR_CALLER, "%s needs a value: %s %s", word, word,
				    row ? row->metavar : limit->metavar);
		}
	}
	return row ? row->take(o, value, err)
		   : limits_set(&o->request.job.limits, limit, value, err);
}

int options_set(struct run_options *o, const char *name, const char *value, enum option_use *ret,
		struct error *err)
{
	size_t len = strlen(name);
	const struct option_row *row = find_row(o, name, len);
	const struct limit_row *limit = find_limit(name, len);
	bool given = value && *value;

	if (!row && !limit)
		return unknown_option(name, err);
	if (row && row->use == FOR_COMMAND)
		return fail(err, ERR_CALLER, "%s is for the command belljar run only", name);
	*ret = row ? row->use : FOR_CALL;
	if (row && !row->metavar)
		return given ? fail(err, ERR_CALLER, "%s takes no value", name)
			     : row->take(o, NULL, err);
	if (!given)
		return fail(err, ERR_CALLER, "%s needs a value: %s", name,
			    row ? row->metavar : limit->metavar);
	if (limit)
		return limits_set(&o->request.job.limits, limit, value, err);
	value = keep(o, strdup(value));
	return value ? row->take(o, value, err) : fail_sys(err, "allocate");
}

static int take_short(struct run_options *o, char ***argv, struct error *err)
{
	const char *word = **argv;

	if (strcmp(word, "-h") == 0)
		return take_help(o, NULL, err);
	if (strcmp(word, "-c") != 0)
		return fail(err, ERR_CALLER, "there is no option %s; see belljar run --help", word);
	if (!*++*argv)
		return --*argv, fail(err, ERR_CALLER, "-c needs the code: -c 'print(2+2)'");
	return take_code(o, **argv, err);
}

int options_parse(struct run_options *o, char **argv, struct error *err)
{
	for (argv++; *argv; argv++) {
		const char *word = *argv;

		if (strcmp(word, "--") == 0) {
			argv++;
			break;
		}
		if (word[0] != '-' || word[1] == '\0')
			break;
		if ((word[1] == '-' ? take_long(o, &argv, err) : take_short(o, &argv, err)) < 0)
			return -1;
	}
	o->command = argv;
	return 0;
}
