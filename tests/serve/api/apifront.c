/* SPDX-License-Identifier: Apache-2.0 */
/* apifront.c - the front with the real HTTP server, and keepers and a reader that only pretend.
 *
 * apifront VIEW [DIRECTORY [UNIX-PATH]] listens at a free port of 127.0.0.1,
 * prints "port N", and takes words from its standard input:
 *
 *   view FILE GENERATION | state BITS | drain MS | reader on|off | starting yes|no | quit
 *
 * It prints what the front asks its supervisor for: "asked WORD NUMBER".
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fakekeeper.h"
#include "serve/api/api.h"

struct stage {
	struct loop *loop;
	struct front *front;
	struct http *http;
	struct loop_watch words;
	struct loop_timer later; /* keepers come in a round of their own, as they do in life */
	size_t wanted[2];
	uint32_t generation;
	bool starting;
	char line[4096];
	size_t len;
};

static void die(const char *what, const struct error *err)
{
	(void)fprintf(stderr, "apifront: %s: %s\n", what, err ? err->text : strerror(errno));
	exit(1); /* a test program's main */
}

/* Starts a process that speaks for a keeper (or reader) at the other end. */
static int start(void (*run)(int sock, bool session), bool session)
{
	int pair[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		die("socketpair", NULL);
	child = fork();
	if (child < 0)
		die("fork", NULL);
	if (child == 0) {
		(void)dup2(pair[1], 3);
		(void)close_range(4, ~0U, 0);
		(void)close(0);
		run(3, session);
		_exit(0);
	}
	(void)close(pair[1]);
	return pair[0];
}

static void start_wanted(void *context)
{
	struct stage *s = context;
	struct error err = {0};

	for (int session = 0; session < 2; session++)
		for (; s->wanted[session] > 0; s->wanted[session]--) {
			int fd = s->starting ? start(fakekeeper_run, session) : -1;

			if (api_add_keeper(s->front, fd, session, s->generation, &err) < 0)
				die("add a keeper", &err);
		}
}

static void ask(void *context, enum role_word word, uint64_t number)
{
	struct stage *s = context;
	struct error err = {0};

	(void)printf("asked %d %llu\n", (int)word, (unsigned long long)number);
	(void)fflush(stdout);
	if (word != ROLE_WANT_KEEPER)
		return;
	s->wanted[number == 1]++;
	(void)loop_set(s->loop, &s->later, loop_now_us(s->loop), &err);
}

static void say(void *context, const char *text)
{
	(void)context;
	(void)printf("said %s\n", text);
	(void)fflush(stdout);
}

static void set_view(struct stage *s, const char *path, uint32_t generation)
{
	struct error err = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	s->generation = generation;
	if (fd < 0 || api_set_view(s->front, fd, generation, &err) < 0)
		(void)printf("view refused: %s\n", err.text);
	else
		(void)printf("view %u\n", (unsigned)generation);
	(void)fflush(stdout);
	(void)close(fd);
}

/* "reloaded TEXT NUMBER" or "reload_failed TEXT NUMBER"; "-": no text. */
static void set_reloaded(struct stage *s, const char *word, const char *text, uint64_t number)
{
	struct api_reload r = {.number = number,
			       .done = strcmp(word, "reloaded") == 0,
			       .text = strcmp(text, "-") == 0 ? "" : text};

	api_reloaded(s->front, &r);
}

static void obey(struct stage *s, const char *line)
{
	char word[32] = "", text[2048] = "";
	unsigned long number = 0;

	(void)sscanf(line, "%31s %2047s %lu", word, text, &number); /* NOLINT */
	if (strcmp(word, "view") == 0)
		set_view(s, text, (uint32_t)number);
	else if (strcmp(word, "state") == 0)
		api_set_state(s->front, strtoul(text, NULL, 10));
	else if (strncmp(word, "reload", 6) == 0)
		set_reloaded(s, word, text, number);
	else if (strcmp(word, "drain") == 0)
		api_drain(s->front, strtoul(text, NULL, 10));
	else if (strcmp(word, "reader") == 0)
		api_set_reader(s->front,
			       strcmp(text, "on") == 0 ? start(fakereader_run, false) : -1);
	else if (strcmp(word, "starting") == 0)
		s->starting = strcmp(text, "yes") == 0;
	else if (strcmp(word, "quit") == 0)
		loop_stop(s->loop);
	(void)printf("did %s\n", word);
	(void)fflush(stdout);
}

static void words(void *context, uint32_t events)
{
	struct stage *s = context;
	ssize_t n = read(0, s->line + s->len, sizeof(s->line) - 1 - s->len);
	char *end;

	(void)events;
	if (n <= 0) {
		loop_stop(s->loop);
		return;
	}
	s->len += (size_t)n;
	s->line[s->len] = '\0';
	while ((end = strchr(s->line, '\n'))) {
		*end = '\0';
		obey(s, s->line);
		s->len -= (size_t)(end + 1 - s->line);
		memmove(s->line, end + 1, s->len + 1);
	}
}

static int listen_tcp(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, 1024) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &len) < 0)
		die("listen", NULL);
	(void)printf("port %d\n", ntohs(at.sin_port));
	return fd;
}

static int listen_unix(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	(void)snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	(void)unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, 1024) < 0)
		die("listen", NULL);
	return fd;
}

static void open_doors(struct stage *s, const char *unix_path)
{
	struct http_caps caps;
	struct error err = {0};

	api_caps(s->front, &caps);
	s->http = http_new(s->loop, &caps, api_handler(s->front), &err);
	if (!s->http)
		die("http", &err);
	api_set_http(s->front, s->http);
	if (http_listen(s->http, listen_tcp(), NULL, &err) < 0 ||
	    (unix_path && http_listen(s->http, listen_unix(unix_path), NULL, &err) < 0))
		die("listen", &err);
	(void)fflush(stdout);
}

int main(int argc, char **argv)
{
	static struct stage s = {.starting = true};
	struct api_config config = {
		.directory = argc > 2 && argv[2][0] ? argv[2] : NULL,
		.ask = ask,
		.say = say,
		.context = &s,
	};
	const char *beat = secure_getenv("APIFRONT_BEAT_MS");
	const char *reload = secure_getenv("APIFRONT_RELOAD_MS");
	struct error err = {0};

	config.beat_ms = beat ? strtoul(beat, NULL, 10) : 0;
	config.reload_ms = reload ? strtoul(reload, NULL, 10) : 0;
	(void)sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
	(void)sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
	s.loop = loop_new(&err);
	s.later = (struct loop_timer){.due = start_wanted, .context = &s};
	s.front = s.loop ? api_new(s.loop, &config, &err) : NULL;
	if (!s.front)
		die("start", &err);
	set_view(&s, argv[1], 1);
	open_doors(&s, argc > 3 ? argv[3] : NULL);
	s.words = (struct loop_watch){.fd = 0, .events = EPOLLIN, .ready = words, .context = &s};
	if (loop_add(s.loop, &s.words, &err) < 0 || loop_run(s.loop, &err) < 0)
		die("run", &err);
	http_free(s.http);
	api_set_http(s.front, NULL);
	api_free(s.front);
	loop_free(s.loop);
	return 0;
}
