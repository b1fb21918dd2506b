/* SPDX-License-Identifier: Apache-2.0 */
/* url_fuzz.c - a URL from any bytes: what is accepted is plain, and comes out again as it is. */
#include "fuzz.h"

#include <arpa/inet.h>
#include <assert.h>
#include <string.h>

#include "policy/url.h"

/* Without a look at how the parser does it. */
static void check_host(const struct url *u)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789.-";
	unsigned char address[16];
	size_t len = strlen(u->host);

	if (u->is_address) {
		assert(inet_pton(strchr(u->host, ':') ? AF_INET6 : AF_INET, u->host, address) == 1);
		return;
	}
	assert(len > 0 && len <= 253 && strspn(u->host, plain) == len);
	assert(u->host[0] != '.' && u->host[len - 1] != '.' && !strstr(u->host, ".."));
	assert(!inet_aton(u->host, (struct in_addr *)address)); /* takes 127.1 and 0x7f.1 */
}

static void check_whole(const char *text, const struct url *u)
{
	for (const char *p = text; *p; p++)
		assert(*p > 0x20 && *p < 0x7f && *p != '\\' && *p != '#');
	assert(u->port != 0 && u->path[0] == '/');
	assert(!strstr(u->path, "/../") && !strstr(u->path, "/./"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[URL_TEXT_MAX];
	struct error err = {0};
	struct url u, again;

	if (url_parse((const char *)data, size, &u, &err) < 0) {
		assert(err.kind == ERR_CALLER && err.text[0]);
		return 0;
	}
	assert(url_text(&u, text, sizeof(text), &err) == 0);
	check_host(&u);
	check_whole(text, &u);
	assert(url_parse(text, strlen(text), &again, &err) == 0);
	assert(memcmp(&u, &again, sizeof(u)) == 0);
	assert(url_host_matches(u.host, u.host));
	assert(!url_host_matches(u.host, "*.never.example") || strstr(u.host, ".never.example"));
	return 0;
}
