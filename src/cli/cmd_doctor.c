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
	"usage: belljar doctor [--json] [--quiet]\n"
	"       belljar doctor --attack [--json] [--quiet] [--allow-degraded LAYER,...] "
	"[--cgroup DIR]\n"
	"\n"
	"  --json            one JSON object instead of a table\n"
	"  --attack          try to break out of a real box instead, and say which walls held\n"
	"  --quiet           only what is not as it should be, and the verdict\n"
	"  --allow-degraded  attack a box in which these layers may be weaker\n"
	"  --cgroup DIR      make the attacked box's control groups beneath DIR\n"
	"\n"
	"Exit code 0: boxes can run with all layers (--attack: all walls held); 1: not so;\n"
	"125: doctor itself failed.\n";

static bool wants_colour(void)
{
	const char *no = secure_getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no && *no);
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

static int write_table(const struct doctor_options *o, const struct finding *findings,
		       const struct verdict_line *verdict, struct buf *out, struct error *err)
{
	const char *group = "";

	for (size_t i = 0; i < check_count; i++) {
		bool fine = findings[i].state == CHECK_OK || findings[i].state == CHECK_INFO;

		if (o->quiet && fine)
			continue;
		if (strcmp(group, checks[i].group) != 0 &&
		    buf_printf(out, err, "%s%s\n", *group ? "\n" : "", checks[i].group) < 0)
			return -1;
		group = checks[i].group;
		if (write_finding(&checks[i], &findings[i], out, err) < 0)
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

static int write_json(const struct finding *findings, const struct verdict_line *verdict,
		      struct buf *out, struct error *err)
{
	struct jsonout j;

	jsonout_start(&j, out, err);
	jsonout_object(&j, NULL);
	jsonout_int(&j, "schema", 1);
	jsonout_str(&j, "mode", geteuid() == 0 ? "root" : "user");
	jsonout_bool(&j, "all_layers", verdict->all_layers);
	jsonout_str(&j, "verdict", verdict->text);
	jsonout_array(&j, "checks");
	for (size_t i = 0; i < check_count; i++) {
		jsonout_object(&j, NULL);
		jsonout_str(&j, "id", checks[i].id);
		jsonout_str(&j, "group", checks[i].group);
		jsonout_str(&j, "title", checks[i].title);
		jsonout_str(&j, "state", check_state_name(findings[i].state));
		jsonout_str(&j, "detail", findings[i].detail);
		jsonout_str(&j, "fix", findings[i].fix[0] ? findings[i].fix : NULL);
		write_bytes(&j, "baseline_bytes", findings[i].baseline_bytes);
		write_bytes(&j, "waiting_bytes", findings[i].waiting_bytes);
		jsonout_object_end(&j);
	}
	jsonout_array_end(&j);
	jsonout_object_end(&j);
	return jsonout_end(&j) < 0 ? -1 : buf_add_str(out, "\n", err);
}

static int examine(const struct doctor_options *o, struct buf *out, struct error *err)
{
	static struct finding findings[CHECKS_MAX];
	struct verdict_line verdict;
	int done;

	if (check_count > CHECKS_MAX)
		return fail(err, ERR_INTERNAL, "%zu checks, room for %d", check_count, CHECKS_MAX);
	for (size_t i = 0; i < check_count; i++)
		check_run(&checks[i], &findings[i]);
	probe_judge(findings, geteuid() == 0, &verdict);
	done = o->json ? write_json(findings, &verdict, out, err)
		       : write_table(o, findings, &verdict, out, err);
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
	ask_systemd(&options, argv - 1);
	code = options.attack ? doctor_attack(&options, &out, &err) : examine(&options, &out, &err);
	if (code < 0 || fd_write_all(STDOUT_FILENO, buf_str(&out), out.len, &err) < 0)
		return cli_complain(&err);
	return code;
}
