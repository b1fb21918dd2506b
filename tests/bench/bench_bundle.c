/* SPDX-License-Identifier: Apache-2.0 */
/* bench_bundle.c - OCI bundles for crun, runc and runsc: the host's /usr, read-only, no network. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/jsonout.h"
#include "base/own.h"

static const char *const root_directories[] = {"usr", "proc", "dev", "tmp", "etc", "sys"};
static const char *const root_links[] = {"bin", "sbin", "lib", "lib64"};

static int make_root(int rootfs, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LEN(root_directories); i++)
		if (mkdirat(rootfs, root_directories[i], 0755) < 0)
			return fail_sys(err, "make %s", root_directories[i]);
	for (size_t i = 0; i < ARRAY_LEN(root_links); i++) {
		char target[32];

		(void)snprintf(target, sizeof(target), "usr/%s", root_links[i]);
		if (symlinkat(target, rootfs, root_links[i]) < 0)
			return fail_sys(err, "link %s", root_links[i]);
	}
	return 0;
}

/* In the config as it is: what does not differ between the jobs. */
static const char mounts_text[] =
	"[{\"destination\":\"/proc\",\"type\":\"proc\",\"source\":\"proc\"},"
	"{\"destination\":\"/dev\",\"type\":\"tmpfs\",\"source\":\"tmpfs\","
	"\"options\":[\"nosuid\",\"mode=755\",\"size=64k\"]},"
	"{\"destination\":\"/tmp\",\"type\":\"tmpfs\",\"source\":\"tmpfs\","
	"\"options\":[\"nosuid\",\"nodev\",\"size=100m\"]},"
	"{\"destination\":\"/usr\",\"type\":\"bind\",\"source\":\"/usr\","
	"\"options\":[\"rbind\",\"ro\"]}]";
static const char linux_text[] =
	"{\"namespaces\":[{\"type\":\"pid\"},{\"type\":\"network\"},{\"type\":\"ipc\"},"
	"{\"type\":\"uts\"},{\"type\":\"mount\"}],"
	"\"resources\":{\"memory\":{\"limit\":268435456},\"pids\":{\"limit\":64}}}";

static int compose_config(const struct bench_job *job, struct buf *out, struct error *err)
{
	own(buf) args = {0};
	struct jsonout j;

	buf_init(&args, 4096);
	jsonout_start(&j, &args, err);
	jsonout_array(&j, NULL);
	for (const char *const *arg = job->argv; *arg; arg++)
		jsonout_str(&j, NULL, *arg);
	jsonout_array_end(&j);
	if (jsonout_end(&j) < 0)
		return -1;
	return buf_printf(out, err,
			  "{\"ociVersion\":\"1.0.2\",\"process\":{\"terminal\":false,"
			  "\"user\":{\"uid\":1000,\"gid\":1000},\"args\":%s,"
			  "\"env\":[\"PATH=/usr/bin:/bin\"],\"cwd\":\"/\","
			  "\"capabilities\":{\"bounding\":[],\"effective\":[],\"permitted\":[]},"
			  "\"noNewPrivileges\":true},"
			  "\"root\":{\"path\":\"rootfs\",\"readonly\":true},\"hostname\":\"box\","
			  "\"mounts\":%s,\"linux\":%s}\n",
			  buf_str(&args), mounts_text, linux_text);
}

static int write_config(int dir, const struct bench_job *job, struct error *err)
{
	own_fd fd = openat(dir, "config.json", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	own(buf) text = {0};

	buf_init(&text, 16384);
	if (fd < 0)
		return fail_sys(err, "make config.json");
	if (compose_config(job, &text, err) < 0)
		return -1;
	return fd_write_all(fd, buf_str(&text), text.len, err);
}

int bundle_make(const char *path, const struct bench_job *job, struct error *err)
{
	own_fd dir = -1, rootfs = -1;

	if (mkdir(path, 0755) < 0)
		return fail_sys(err, "make %s", path);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || mkdirat(dir, "rootfs", 0755) < 0)
		return fail_sys(err, "make %s/rootfs", path);
	rootfs = openat(dir, "rootfs", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (rootfs < 0)
		return fail_sys(err, "open %s/rootfs", path);
	if (make_root(rootfs, err) < 0 || write_config(dir, job, err) < 0)
		return fail_in(err, "%s", path);
	return 0;
}

void bundle_path(const struct bench *b, const struct bench_job *job, char *ret_path, size_t room)
{
	(void)snprintf(ret_path, room, "%s/bundle-%zu", b->scratch.path,
		       (size_t)(job - bench_jobs));
}
