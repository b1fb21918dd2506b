/* SPDX-License-Identifier: Apache-2.0 */
/* bench_contenders.c - the jobs, and everybody who can run them. */
#include "bench.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

const struct bench_job bench_jobs[] = {
	{"/bin/true", {"/bin/true"}, ""},
	{"python3", {"/usr/bin/python3", "-c", "print(2+2)"}, "4\n"},
	{"node", {"/usr/bin/node", "-e", "console.log(2+2)"}, "4\n"},
};
const size_t bench_job_count = ARRAY_LEN(bench_jobs);

static void add(struct command *command, const char *word)
{
	size_t n = 0;

	while (command->argv[n])
		n++;
	if (n + 1 < ARGS_MAX)
		command->argv[n] = word;
}

static void add_all(struct command *command, const char *const *words)
{
	for (; *words; words++)
		add(command, *words);
}

static const char *always_there(struct bench *b)
{
	(void)b;
	return NULL;
}

static void compose_bare(struct bench *b, const struct bench_job *job, struct command *ret)
{
	(void)b;
	add_all(ret, job->argv);
}

static const char *bwrap_absent(struct bench *b)
{
	(void)b;
	return access("/usr/bin/bwrap", X_OK) < 0 ? "not installed (bubblewrap)" : NULL;
}

/* What people write who want a program sealed: all namespaces, the host's /usr, nothing else. */
static void compose_bwrap(struct bench *b, const struct bench_job *job, struct command *ret)
{
	static const char *const words[] = {
		"/usr/bin/bwrap",
		"--unshare-all",
		"--die-with-parent",
		"--new-session",
		"--ro-bind",
		"/usr",
		"/usr",
		"--symlink",
		"usr/bin",
		"/bin",
		"--symlink",
		"usr/sbin",
		"/sbin",
		"--symlink",
		"usr/lib",
		"/lib",
		"--symlink",
		"usr/lib64",
		"/lib64",
		"--proc",
		"/proc",
		"--dev",
		"/dev",
		"--tmpfs",
		"/tmp",
		"--",
		NULL,
	};

	(void)b;
	add_all(ret, words);
	add_all(ret, job->argv);
}

static const char *belljar_absent(struct bench *b)
{
	if (!b->belljar)
		return "not given: --belljar PROGRAM";
	return access(b->belljar, X_OK) < 0 ? "not built" : NULL;
}

static void compose_belljar(struct bench *b, const struct bench_job *job, struct command *ret)
{
	static const char *const words[] = {"run", "--quiet", "--", NULL};

	add(ret, b->belljar);
	add_all(ret, words);
	add_all(ret, job->argv);
}

static const char *box_absent(struct bench *b)
{
	if (!b->alone)
		return "not given: --box PROGRAM";
	return access(b->alone, X_OK) < 0 ? "not built" : NULL;
}

static void compose_box(struct bench *b, const struct bench_job *job, struct command *ret)
{
	add(ret, b->alone);
	add(ret, "--");
	add_all(ret, job->argv);
}

enum { TEXT_POLICY, TEXT_TOOL };

static void compose_call(struct bench *b, const struct bench_job *job, struct command *ret)
{
	(void)snprintf(ret->text[TEXT_POLICY], sizeof(ret->text[0]), "%s/policy.yaml",
		       b->scratch.path);
	(void)snprintf(ret->text[TEXT_TOOL], sizeof(ret->text[0]), "job_%s",
		       strrchr(job->argv[0], '/') + 1);
	add(ret, b->belljar);
	add(ret, "call");
	add(ret, "--quiet");
	add(ret, "--policy");
	add(ret, ret->text[TEXT_POLICY]);
	add(ret, ret->text[TEXT_TOOL]);
}

static const char *resident_absent(struct bench *b)
{
	static struct error err;

	if (b->box || resident_open(b, &err) == 0)
		return NULL;
	return err.text;
}

/* The runtimes want root here: rootless ones need a delegated cgroup to be comparable. */
static const char *runtime_absent(const char *program)
{
	if (access(program, X_OK) < 0)
		return "not installed";
	return geteuid() == 0 ? NULL : "measured as root only";
}

static const char *crun_absent(struct bench *b)
{
	(void)b;
	return runtime_absent("/usr/bin/crun");
}

static const char *runc_absent(struct bench *b)
{
	(void)b;
	return runtime_absent("/usr/sbin/runc");
}

static const char *runsc_absent(struct bench *b)
{
	(void)b;
	return runtime_absent("/usr/bin/runsc");
}

enum { TEXT_STATE, TEXT_BUNDLE, TEXT_NAME };

static void compose_runtime(struct bench *b, const struct bench_job *job, const char *program,
			    const char *const *options, struct command *ret)
{
	(void)snprintf(ret->text[TEXT_STATE], sizeof(ret->text[0]), "%s/state-%s", b->scratch.path,
		       strrchr(program, '/') + 1);
	bundle_path(b, job, ret->text[TEXT_BUNDLE], sizeof(ret->text[0]));
	(void)snprintf(ret->text[TEXT_NAME], sizeof(ret->text[0]), "belljar-bench-%d-%u",
		       (int)getpid(), b->serial++);
	add(ret, program);
	add(ret, "--root");
	add(ret, ret->text[TEXT_STATE]);
	add_all(ret, options);
	add(ret, "run");
	add(ret, "--bundle");
	add(ret, ret->text[TEXT_BUNDLE]);
	add(ret, ret->text[TEXT_NAME]);
}

static const char *const no_options[] = {NULL};
static const char *const runsc_options[] = {"--network=none", "--platform=ptrace", NULL};

static void compose_crun(struct bench *b, const struct bench_job *job, struct command *ret)
{
	compose_runtime(b, job, "/usr/bin/crun", no_options, ret);
	ret->mounts = b->v1_mounts; /* Debian's crun refuses the hybrid layout */
}

static void compose_runc(struct bench *b, const struct bench_job *job, struct command *ret)
{
	compose_runtime(b, job, "/usr/sbin/runc", no_options, ret);
}

static void compose_runsc(struct bench *b, const struct bench_job *job, struct command *ret)
{
	compose_runtime(b, job, "/usr/bin/runsc", runsc_options, ret);
}

/* A container that did not end well is still known to its runtime. */
static void delete_container(struct bench *b, const struct command *failed)
{
	struct command c = {.mounts = failed->mounts};

	add(&c, failed->argv[0]);
	add(&c, "--root");
	add(&c, failed->text[TEXT_STATE]);
	add(&c, "delete");
	add(&c, "--force");
	add(&c, failed->text[TEXT_NAME]);
	bench_spawn_quietly(b, &c);
}

const struct contender contenders[] = {
	{
		.name = "bare",
		.what = "posix_spawn, no box",
		.absent = always_there,
		.compose = compose_bare,
	},
	{
		.name = "bwrap",
		.what = "bubblewrap, all namespaces; no limits, no filter",
		.absent = bwrap_absent,
		.compose = compose_bwrap,
	},
	{
		.name = "belljar",
		.what = "belljar run, one shot, all layers; policy, redaction, log",
		.absent = belljar_absent,
		.compose = compose_belljar,
	},
	{
		.name = "box",
		.what = "the same box alone",
		.absent = box_absent,
		.compose = compose_box,
	},
	{
		.name = "call",
		.what = "belljar call, one shot, policy from a file, log",
		.absent = belljar_absent,
		.compose = compose_call,
	},
	{
		.name = "resident",
		.what = "libbelljar, a box that is kept, all layers",
		.absent = resident_absent,
		.call = resident_call,
	},
	{
		.name = "crun",
		.what = "crun run; memory and pids limits",
		.absent = crun_absent,
		.compose = compose_crun,
		.clean = delete_container,
	},
	{
		.name = "runc",
		.what = "runc run; memory and pids limits",
		.absent = runc_absent,
		.compose = compose_runc,
		.clean = delete_container,
	},
	{
		.name = "runsc",
		.what = "gVisor, ptrace platform",
		.absent = runsc_absent,
		.compose = compose_runsc,
		.clean = delete_container,
	},
};
const size_t contender_count = ARRAY_LEN(contenders);
static_assert(ARRAY_LEN(contenders) <= CONTENDERS_MAX && ARRAY_LEN(bench_jobs) <= JOBS_MAX,
	      "results have room for all");

const struct contender *contender_find(const char *name)
{
	for (size_t i = 0; i < contender_count; i++)
		if (strcmp(contenders[i].name, name) == 0)
			return &contenders[i];
	return NULL;
}
