/* SPDX-License-Identifier: Apache-2.0 */
/* rules_bash.c - what is looked for in bash scripts, as data.
 *
 * The same in meaning as the patterns of command lines, but for what scripts do every day: "set
 * -e", "export" and "rm -rf build" are ordinary here.
 */
#include "screen/bashcode.h"

#include <string.h>

#include "base/own.h"
#include "screen/python.h"

const struct screen_row bash_rows[BASH_RULE_COUNT] = {
	[BASH_SYNTAX] = {"bash.syntax", "unreadable", SCREEN_BLOCK,
			 "this cannot be read as a bash script", "send a plain bash script"},
	[BASH_RM] = {"bash.rm", "fs-write", SCREEN_BLOCK, "removes files outside of /work and /tmp",
		     "remove files by their names"},
	[BASH_RM_RF] = {"bash.rm-rf", "fs-write", SCREEN_WARN,
			"rm with -r and -f removes whole trees without asking", NULL},
	[BASH_MKFS] = {"bash.mkfs", "fs-write", SCREEN_BLOCK, "makes a file system", NULL},
	[BASH_DD] = {"bash.dd-if", "fs-write", SCREEN_BLOCK, "dd copies devices",
		     "use head -c or cp"},
	[BASH_CHMOD] = {"bash.chmod-777", "fs-write", SCREEN_BLOCK,
			"lets everybody read, write and execute", "use 755 or u+x"},
	[BASH_DEVICE] = {"bash.write-device", "fs-write", SCREEN_BLOCK, "writes to a device",
			 "only /dev/null may be written to"},
	[BASH_PIPE_SHELL] = {"bash.pipe-to-shell", "dynamic", SCREEN_BLOCK,
			     "a shell runs whatever comes through the pipe",
			     "write the commands themselves"},
	[BASH_EVAL] = {"bash.eval", "dynamic", SCREEN_BLOCK, "eval runs text as commands",
		       "write the commands themselves"},
	[BASH_SUDO] = {"bash.sudo", "privilege", SCREEN_BLOCK, "asks for another user's rights",
		       "files in /work and /tmp are yours"},
	[BASH_SU] = {"bash.su", "privilege", SCREEN_BLOCK, "becomes another user",
		     "files in /work and /tmp are yours"},
	[BASH_PASSWD] = {"bash.passwd", "privilege", SCREEN_BLOCK, "changes passwords or users",
			 NULL},
	[BASH_NETWORK] = {"bash.network", "net", SCREEN_BLOCK, "there is no network in the box",
			  "ask for a tool that fetches, or work on data that is passed in"},
	[BASH_INSTALL] = {"bash.install", "net", SCREEN_BLOCK,
			  "nothing can be installed, there is no network in the box",
			  "use what is there"},
	[BASH_SECRETS] = {"bash.secrets", "paths", SCREEN_BLOCK,
			  "names a file that holds credentials or is the host's affair",
			  "such files are not in the box"},
	[BASH_FORK_BOMB] = {"bash.fork-bomb", "proc", SCREEN_BLOCK,
			    "a function that starts itself again and again", NULL},
	[BASH_DYNAMIC] = {"bash.dynamic", "dynamic", SCREEN_WARN,
			  "runs a command whose name is only known when it runs", NULL},
};

static bool has_option(const struct shell_words *w, const char *letters, const char *name)
{
	for (size_t i = 1; i < w->n; i++) {
		const char *value = w->word[i]->value;

		if (value[0] == '-' && value[1] == '-' && strcmp(value + 2, name) == 0)
			return true;
		if (value[0] == '-' && value[1] != '-' && strpbrk(value + 1, letters))
			return true;
	}
	return false;
}

/* rm -r of what is not the caller's: /, ~, /etc, $HOME, .. */
static size_t removes_outside(const struct shell_words *w, const struct shell_pattern *p)
{
	(void)p;
	for (size_t i = 1; i < w->n; i++) {
		const char *value = w->word[i]->value;

		if (value[0] != '-' && has_option(w, "rR", "recursive") &&
		    (py_path_is_outside(value, strlen(value)) || strcmp(value, "..") == 0 ||
		     strncmp(value, "../", 3) == 0 || strncmp(value, "$HOME", 5) == 0 ||
		     strncmp(value, "${HOME", 6) == 0))
			return i;
	}
	return 0;
}

/* pip install, npm install, apt-get install */
static size_t installs(const struct shell_words *w, const struct shell_pattern *p)
{
	for (size_t i = 1; i < w->n; i++)
		for (size_t d = 0; d < SHELL_PATTERN_DATA && p->data[d]; d++)
			if (strcmp(w->word[i]->value, p->data[d]) == 0)
				return i;
	return 0;
}

static const struct shell_pattern patterns[] = {
	{.row = BASH_RM, .programs = "rm", .match = removes_outside},
	{.row = BASH_RM_RF,
	 .programs = "rm",
	 .match = shell_match_all_options,
	 .data = {"rR/recursive", "f/force"}},
	{.row = BASH_MKFS, .programs = "mkfs mkfs.* mke2fs mkswap mkdosfs mkntfs"},
	{.row = BASH_DD,
	 .programs = "dd",
	 .match = shell_match_beginning,
	 .data = {"if=", "of=/dev/"}},
	{.row = BASH_CHMOD, .programs = "chmod mkdir install", .match = shell_match_open_mode},
	{.row = BASH_EVAL, .programs = "eval"},
	{.row = BASH_SUDO, .programs = "sudo sudoedit doas pkexec run0 visudo"},
	{.row = BASH_SU, .programs = "su runuser newgrp sg"},
	{.row = BASH_PASSWD,
	 .programs = "passwd chpasswd gpasswd chgpasswd useradd usermod userdel adduser deluser "
		     "groupadd groupmod groupdel vipw"},
	{.row = BASH_NETWORK,
	 .programs = "curl wget nc ncat netcat socat telnet ssh scp sftp rsync ftp tftp ping ping6 "
		     "dig nslookup host nmap aria2c lynx w3m links whois traceroute"},
	{.row = BASH_INSTALL,
	 .programs = "pip pip3 pipx npm yarn pnpm apt apt-get aptitude dnf yum apk brew gem cargo "
		     "go conda mamba snap dpkg rpm",
	 .match = installs,
	 .data = {"install", "add", "i", "update", "upgrade", "get", "-i"}},
	{.row = BASH_DEVICE,
	 .programs = "tee",
	 .match = shell_match_beginning,
	 .data = {"/dev/sd", "/dev/nvme", "/dev/vd", "/dev/mem", "/dev/kmem", "/dev/tcp",
		  "/dev/udp", "/dev/loop"}},
};

const struct shell_pattern *bash_pattern(size_t n)
{
	return n < ARRAY_LEN(patterns) ? &patterns[n] : NULL;
}
