/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_doctor.c - belljar doctor: what this host can do for a box, and what would help. */
#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "call/call.h"
#include "cli/cli.h"
#include "cli/doctor.h"
#include "sandbox/native/cgroup.h"
#include "sandbox/native/delegate.h"
#include "sandbox/native/probe.h"

enum { REPORT_MAX = 1 << 20, CHECKS_MAX = 96 };

static const char usage[] =
	"usage: belljar doctor [--json] [--quiet] [--policy FILE]\n"
	"       belljar doctor --attack [--json] [--quiet] [--allow-degraded LAYER,...] "
	"[--cgroup DIR]\n"
	"\n"
	"  --json                      one JSON object instead of a table\n"
	"  --policy FILE               try the interpreters that this policy keeps waiting\n"
	"  --attack                    try to break out of a real box instead, and say which\n"
	"                              walls held\n"
	"  --quiet                     only what is not as it should be, and the verdict\n"
	"  --allow-degraded LAYER,...  attack a box in which these layers may be weaker\n"
	"  --cgroup DIR                make the attacked box's control groups beneath DIR\n"
	"\n"
	"Exit code 0: boxes can run with all layers (--attack: all walls held); 1: not so;\n"
	"125: doctor itself failed.\n\nmore: man belljar-doctor\n";

/* The checks, and what was found; then those of the policy. */
struct report {
	struct check rows[CHECKS_MAX];
	struct finding findings[CHECKS_MAX];
	size_t n;
};

static bool wants_colour(void)
{
	const char *no = secure_getenv("NO_COLOR"), *term = secure_getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

int doctor_paint(struct buf *out, const char *colour, const char *word, int width,
		 struct error *err)
{
	int blanks = width - (int)strlen(word);

	if (!wants_colour())
		return buf_printf(out, err, "%s%*s", word, blanks > 0 ? blanks : 0, "");
	return buf_printf(out, err, "\033[%sm%s\033[0m%*s", colour, word, blanks > 0 ? blanks : 0,
			  "");
}

static const char *const colours[] = {
	[CHECK_MISSING] = DOCTOR_RED,
	[CHECK_DEGRADED] = DOCTOR_YELLOW,
	[CHECK_OK] = DOCTOR_GREEN,
	[CHECK_INFO] = DOCTOR_DIM,
};
static_assert(ARRAY_LEN(colours) == CHECK_STATE_COUNT, "one colour per state");

static int write_fix(const char *text, struct buf *out, struct error *err)
{
	const char *lead = "fix: ";

	while (*text) {
		size_t n = strcspn(text, "\n");

		if (buf_printf(out, err, "  %-9s %-21s %s%.*s\n", "", "", lead, (int)n, text) < 0)
			return -1;
		lead = "     ";
		text += n + (text[n] == '\n');
	}
	return 0;
}

static int write_finding(const struct check *c, const struct finding *f, struct buf *out,
			 struct error *err)
{
	if (buf_add_str(out, "  ", err) < 0 ||
	    doctor_paint(out, colours[f->state], check_state_name(f->state), 10, err) < 0 ||
	    buf_printf(out, err, "%-21s %s\n", c->title, f->detail) < 0)
		return -1;
	return write_fix(f->fix, out, err);
}

static int write_table(const struct doctor_options *o, const struct report *r,
		       const struct verdict_line *verdict, struct buf *out, struct error *err)
{
	const char *group = "";

	for (size_t i = 0; i < r->n; i++) {
		const struct check *c = &r->rows[i];
		const struct finding *f = &r->findings[i];

		if (o->quiet && (f->state == CHECK_OK || f->state == CHECK_INFO))
			continue;
		if (strcmp(group, c->group) != 0 &&
		    buf_printf(out, err, "%s%s\n", *group ? "\n" : "", c->group) < 0)
			return -1;
		group = c->group;
		if (write_finding(c, f, out, err) < 0)
			return -1;
	}
	if (*group && buf_add_str(out, "\n", err) < 0)
		return -1;
	if (doctor_paint(out, verdict->all_layers ? DOCTOR_GREEN : DOCTOR_RED, verdict->text, 0,
			 err) < 0)
		return -1;
	return buf_add_str(out, "\n", err);
}

static void write_bytes(struct jsonout *j, const char *key, uint64_t bytes)
{
	if (bytes)
		jsonout_uint(j, key, bytes);
	else
		jsonout_null(j, key);
}

static int write_json(const struct report *r, const struct verdict_line *verdict, struct buf *out,
		      struct error *err)
{
	struct jsonout j;

	jsonout_start(&j, out, err);
	jsonout_object(&j, NULL);
	jsonout_int(&j, "schema", 1);
	jsonout_str(&j, "mode", geteuid() == 0 ? "root" : "user");
	jsonout_bool(&j, "all_layers", verdict->all_layers);
	jsonout_str(&j, "verdict", verdict->text);
	jsonout_array(&j, "checks");
	for (size_t i = 0; i < r->n; i++) {
		const struct check *c = &r->rows[i];
		const struct finding *f = &r->findings[i];

		jsonout_object(&j, NULL);
		jsonout_str(&j, "id", c->id);
		jsonout_str(&j, "group", c->group);
		jsonout_str(&j, "title", c->title);
		jsonout_str(&j, "state", check_state_name(f->state));
		jsonout_str(&j, "detail", f->detail);
		jsonout_str(&j, "fix", f->fix[0] ? f->fix : NULL);
		write_bytes(&j, "baseline_bytes", f->baseline_bytes);
		write_bytes(&j, "waiting_bytes", f->waiting_bytes);
		jsonout_object_end(&j);
	}
	jsonout_array_end(&j);
	jsonout_object_end(&j);
	return jsonout_end(&j) < 0 ? -1 : buf_add_str(out, "\n", err);
}

static int examine(const struct doctor_options *o, struct buf *out, struct error *err)
{
	static struct report r;
	struct verdict_line verdict;
	int done;

	if (check_count > CHECKS_MAX)
		return fail(err, ERR_INTERNAL, "%zu checks, room for %d", check_count, CHECKS_MAX);
	for (; r.n < check_count; r.n++) {
		r.rows[r.n] = checks[r.n];
		check_run(&checks[r.n], &r.findings[r.n]);
	}
	probe_judge(r.findings, geteuid() == 0, &verdict);
	/* In the last group of the checks, and like those of it they decide nothing. */
	r.n += doctor_runtimes(o->policy, r.rows + r.n, r.findings + r.n, CHECKS_MAX - r.n);
	done = o->json ? write_json(&r, &verdict, out, err)
		       : write_table(o, &r, &verdict, out, err);
	return done < 0 ? -1 : !verdict.all_layers;
}

static int parse_layers(char *text, uint32_t *ret, struct error *err)
{
	char *word;

	while ((word = strsep(&text, ","))) {
		int layer = layer_by_name(word);

		if (layer < 0)
			return fail(err, ERR_CALLER, "--allow-degraded: there is no layer '%.40s'",
				    word);
		*ret |= 1U << layer;
	}
	return 0;
}

static int parse(int argc, char **argv, struct doctor_options *ret, struct error *err)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'},
		{"attack", no_argument, NULL, 'a'},
		{"quiet", no_argument, NULL, 'q'},
		{"allow-degraded", required_argument, NULL, 'd'},
		{"cgroup", required_argument, NULL, 'c'},
		{"policy", required_argument, NULL, 'p'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == 'j')
			ret->json = true;
		else if (option == 'a')
			ret->attack = true;
		else if (option == 'q')
			ret->quiet = true;
		else if (option == 'c')
			ret->cgroup = optarg;
		else if (option == 'p')
			ret->policy = optarg;
		else if (option == 'd' && parse_layers(optarg, &ret->allow_degraded, err) < 0)
			return -1;
		else if (option == 'h')
			return 1;
		else if (option != 'd')
			return fail(err, ERR_CALLER,
				    "doctor: '%.60s' is not understood; see "
				    "belljar doctor --help",
				    argv[optind - 1]);
	}
	if (optind < argc)
		return fail(err, ERR_CALLER, "doctor takes no '%.60s'; see belljar doctor --help",
			    argv[optind]);
	if (ret->attack && ret->policy)
		return fail(err, ERR_CALLER, "--policy does not go with --attack");
	if (!ret->attack && (ret->cgroup || ret->allow_degraded))
		return fail(err, ERR_CALLER, "--cgroup and --allow-degraded go with --attack");
	return 0;
}

/* As belljar run does it: where only a scope of systemd's has what is missing, from inside one. */
static void ask_systemd(const struct doctor_options *o, char **argv)
{
	struct cgroup_host host = {0};
	struct error err;

	if (o->cgroup || !delegate_possible() ||
	    cgroup_find(&host, NULL, "/proc/self/mountinfo", "/proc/self/cgroup", &err) < 0 ||
	    !host.ask_delegation)
		return;
	/* If it fails we go on here, and the rows about limits say what is missing. */
	(void)delegate_reexec(argv, &err);
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor_options options = {0};
	own(buf) out;
	struct error err;
	int code;

	buf_init(&out, REPORT_MAX);
	code = parse(argc, argv, &options, &err);
	if (code < 0)
		return cli_complain(&err);
	if (code > 0)
		return fputs(usage, stdout) < 0 ? EXIT_BELLJAR : 0;
	ask_systemd(&options, argv);
	code = options.attack ? doctor_attack(&options, &out, &err) : examine(&options, &out, &err);
	if (code < 0 || fd_write_all(STDOUT_FILENO, buf_str(&out), out.len, &err) < 0)
		return cli_complain(&err);
	return code;
}
