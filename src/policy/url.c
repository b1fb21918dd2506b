/* SPDX-License-Identifier: Apache-2.0 */
/* url.c - the one strict parser of URLs: what it does not understand whole, it refuses.
 *
 * Programs disagree about odd URLs, and each disagreement lets one be judged
 * and another be fetched.  So nothing is repaired here: a URL is either plain
 * RFC 3986 in which every reader sees the same host and path, or it is refused.
 * What may be written in two ways (letter case of scheme and host, the port,
 * the forms of an IPv6 address) has one way when it comes out again.
 */
#include "policy/url.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"

struct scheme {
	const char *name;
	uint16_t port;
};

static const struct scheme schemes[] = {
	{"http", 80},
	{"https", 443},
	{"ws", 80},
	{"wss", 443},
};

/* What is still to be read. */
struct rest {
	const char *at, *end;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	c = lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static const struct scheme *find_scheme(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(schemes); i++)
		if (strcmp(schemes[i].name, name) == 0)
			return &schemes[i];
	return NULL;
}

uint16_t url_scheme_port(const char *scheme)
{
	const struct scheme *s = find_scheme(scheme);

	return s ? s->port : 0;
}

/* What means something else to another reader, wherever it stands. */
static int check_bytes(const char *text, size_t len, struct error *err)
{
	if (len > URL_TEXT_MAX)
		return fail(err, ERR_CALLER, "longer than %d bytes", URL_TEXT_MAX);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c <= 0x20 || c == 0x7f)
			return fail(err, ERR_CALLER,
				    "byte %zu is a space or control character; write it as %%%02X",
				    i + 1, c);
		if (c > 0x7f)
			return fail(err, ERR_CALLER,
				    "byte %zu is not ASCII; a host is written with xn--, the rest "
				    "with %%",
				    i + 1);
		if (c == '\\')
			return fail(err, ERR_CALLER, "byte %zu is a backslash", i + 1);
		if (c == '#')
			return fail(err, ERR_CALLER, "has a fragment (#); leave it out");
	}
	return 0;
}

static int take_scheme(struct rest *r, struct url *u, struct error *err)
{
	const struct scheme *s;
	size_t n = 0;

	for (; r->at < r->end && *r->at != ':'; r->at++) {
		char c = lower(*r->at);

		if (!(is_alpha(c) || (n > 0 && (is_digit(c) || strchr("+.-", c)))) ||
		    n + 1 >= sizeof(u->scheme))
			return fail(err, ERR_CALLER,
				    "does not begin with a scheme such as "
				    "https://");
		u->scheme[n++] = c;
	}
	u->scheme[n] = '\0';
	if (r->end - r->at < 3 || memcmp(r->at, "://", 3) != 0)
		return fail(err, ERR_CALLER, "does not begin with a scheme such as https://");
	r->at += 3;
	s = find_scheme(u->scheme);
	if (!s)
		return fail(err, ERR_CALLER,
			    "the scheme '%s' is not known; http, https, ws and "
			    "wss are",
			    u->scheme);
	u->port = s->port;
	return 0;
}

/* One label of a lower-case name. */
static int check_label(const char *label, size_t len, struct error *err)
{
	if (len == 0)
		return fail(err, ERR_CALLER,
			    "the host has an empty part: two dots, or one at an "
			    "end");
	if (len > 63)
		return fail(err, ERR_CALLER, "the host has a part of more than 63 characters");
	if (label[0] == '-' || label[len - 1] == '-')
		return fail(err, ERR_CALLER, "a part of the host begins or ends with '-'");
	for (size_t i = 0; i < len; i++)
		if (!is_digit(label[i]) && !(label[i] >= 'a' && label[i] <= 'z') && label[i] != '-')
			return fail(err, ERR_CALLER,
				    "the host has a '%c'; letters, digits, '-' and '.' only",
				    label[i]);
	return 0;
}

/* Readers take a name whose last label looks like a number for an address, each in its own way. */
static bool ends_in_number(const char *host)
{
	const char *dot = strrchr(host, '.'), *last = dot ? dot + 1 : host;

	if (last[0] == '0' && last[1] == 'x')
		return strspn(last + 2, "0123456789abcdef") == strlen(last + 2);
	return strspn(last, "0123456789") == strlen(last);
}

static int check_name(const char *host, bool *ret_address, struct error *err)
{
	const char *end;

	if (strlen(host) > 253)
		return fail(err, ERR_CALLER, "the host is longer than 253 characters");
	for (const char *label = host;; label = end + 1) {
		end = strchrnul(label, '.');
		if (check_label(label, (size_t)(end - label), err) < 0)
			return -1;
		if (!*end)
			break;
	}
	*ret_address = false;
	if (ends_in_number(host)) {
		struct in_addr four;
		char again[INET_ADDRSTRLEN];

		if (inet_pton(AF_INET, host, &four) != 1 ||
		    !inet_ntop(AF_INET, &four, again, sizeof(again)) || strcmp(again, host) != 0)
			return fail(err, ERR_CALLER,
				    "the host is a number that is not written as four decimal "
				    "numbers with dots");
		*ret_address = true;
	}
	return 0;
}

/* RFC 5952: of the longest runs of zeros the first is "::".  Not by inet_ntop(): C libraries
 * disagree about which of two it is, and a host is compared as text.  Whoever calls has refused
 * IPv4. */
static void write_ipv6(const struct in6_addr *six, char ret[static INET6_ADDRSTRLEN])
{
	enum { WORDS = 8 };
	size_t from = WORDS, best = 1, len = 0;

	for (size_t i = 0, n; i < WORDS; i += n + 1) {
		for (n = 0; i + n < WORDS && six->s6_addr16[i + n] == 0; n++)
			;
		if (n > best) {
			from = i;
			best = n;
		}
	}
	for (size_t i = 0; i < WORDS; i += i == from ? best : 1) {
		const char *colon = i == 0 || i == from + best ? "" : ":";

		if (i == from)
			len += (size_t)snprintf(ret + len, INET6_ADDRSTRLEN - len, "::");
		else
			len += (size_t)snprintf(ret + len, INET6_ADDRSTRLEN - len, "%s%x", colon,
						ntohs(six->s6_addr16[i]));
	}
}

/* ::a.b.c.d, but not :: and ::1.  By hand: C libraries do not agree on which these are. */
static bool holds_ipv4(const struct in6_addr *six)
{
	static const unsigned char zeros[12];
	uint32_t rest;

	memcpy(&rest, six->s6_addr + sizeof(zeros), sizeof(rest));
	return memcmp(six->s6_addr, zeros, sizeof(zeros)) == 0 && ntohl(rest) > 1;
}

/* text is what stands between the brackets. */
static int check_ipv6(const char *text, char ret[static INET6_ADDRSTRLEN], struct error *err)
{
	struct in6_addr six;

	if (strspn(text, "0123456789abcdefABCDEF:.") != strlen(text) ||
	    inet_pton(AF_INET6, text, &six) != 1)
		return fail(err, ERR_CALLER,
			    "what is in [] is not an IPv6 address (and a zone is "
			    "not allowed)");
	if (IN6_IS_ADDR_V4MAPPED(&six) || holds_ipv4(&six))
		return fail(err, ERR_CALLER, "an IPv4 address is written as such, not as IPv6");
	write_ipv6(&six, ret);
	return 0;
}

static int take_ipv6(struct rest *r, struct url *u, struct error *err)
{
	const char *close = memchr(r->at, ']', (size_t)(r->end - r->at));
	char text[64];
	size_t len;

	if (!close)
		return fail(err, ERR_CALLER, "a '[' is not closed by a ']'");
	len = (size_t)(close - r->at) - 1;
	if (len >= sizeof(text))
		return fail(err, ERR_CALLER, "what is in [] is too long for an IPv6 address");
	memcpy(text, r->at + 1, len);
	text[len] = '\0';
	r->at = close + 1;
	u->is_address = true;
	return check_ipv6(text, u->host, err);
}

static int take_host(struct rest *r, struct url *u, struct error *err)
{
	size_t n = 0;

	if (r->at < r->end && *r->at == '[')
		return take_ipv6(r, u, err);
	for (; r->at < r->end && *r->at != ':'; r->at++) {
		if (*r->at == '%')
			return fail(err, ERR_CALLER, "the host has a '%%': it is never encoded");
		if (n + 1 >= sizeof(u->host))
			return fail(err, ERR_CALLER, "the host is longer than 253 characters");
		u->host[n++] = lower(*r->at);
	}
	u->host[n] = '\0';
	if (n == 0)
		return fail(err, ERR_CALLER, "there is no host");
	if (u->host[n - 1] == '.')
		return fail(err, ERR_CALLER, "the host ends in a dot");
	return check_name(u->host, &u->is_address, err);
}

static int take_port(struct rest *r, struct url *u, struct error *err)
{
	unsigned port = 0;

	if (r->at == r->end)
		return 0;
	if (*r->at++ != ':')
		return fail(err, ERR_CALLER,
			    "something stands between the host and its port or "
			    "path");
	if (r->at == r->end || *r->at == '0' || r->end - r->at > 5)
		return fail(err, ERR_CALLER, "the port is not a number from 1 to 65535");
	for (; r->at < r->end; r->at++) {
		if (!is_digit(*r->at))
			return fail(err, ERR_CALLER, "the port is not a number from 1 to 65535");
		port = port * 10 + (unsigned)(*r->at - '0');
	}
	if (port > 65535)
		return fail(err, ERR_CALLER, "the port is not a number from 1 to 65535");
	u->port = (uint16_t)port;
	return 0;
}

/* Host and port: everything up to the path, so that no reader can see another end. */
static int take_authority(struct rest *r, struct url *u, struct error *err)
{
	struct rest a = *r;

	for (a.end = a.at; a.end < r->end && *a.end != '/' && *a.end != '?'; a.end++)
		if (*a.end == '@')
			return fail(err, ERR_CALLER,
				    "has a user name or password before the host "
				    "(@)");
	r->at = a.end;
	return take_host(&a, u, err) < 0 || take_port(&a, u, err) < 0 ? -1 : 0;
}

/* RFC 3986: pchar, and what else the part may have.  Every % stands for a byte. */
static int check_part(const char *part, const char *also, const char *name, struct error *err)
{
	for (const char *p = part; *p; p++) {
		if (*p == '%') {
			int high = hex_value(p[1]), low = high < 0 ? -1 : hex_value(p[2]);

			if (low < 0)
				return fail(err, ERR_CALLER,
					    "the %s has a '%%' without two hex digits behind it",
					    name);
			if (high * 16 + low == 0)
				return fail(err, ERR_CALLER, "the %s has an encoded NUL (%%00)",
					    name);
			p += 2;
		} else if (!is_alpha(*p) && !is_digit(*p) && !strchr("-._~!$&'()*+,;=:@", *p) &&
			   !strchr(also, *p)) {
			return fail(err, ERR_CALLER, "the %s has a '%c'; write it as %%%02X", name,
				    *p, (unsigned)(unsigned char)*p);
		}
	}
	return 0;
}

/* Is a part between slashes one that leads elsewhere?  Some readers cut it at ';' first. */
static bool has_dot_segment(const char *path)
{
	for (const char *p = path; *p;) {
		size_t len = strcspn(p, "/\\"), name = strcspn(p, "/\\;");

		if ((name == 1 && p[0] == '.') || (name == 2 && p[0] == '.' && p[1] == '.'))
			return true;
		p += len + (p[len] != '\0');
	}
	return false;
}

/* One round, in place; false: there was nothing to decode.  A NUL or what is no code stays. */
static bool decode_once(char *text)
{
	bool any = false;
	char *to = text;

	for (const char *p = text; *p; p++) {
		int high = *p == '%' ? hex_value(p[1]) : -1;
		int low = high < 0 ? -1 : hex_value(p[2]);

		if (low < 0 || high * 16 + low == 0) {
			*to++ = *p;
			continue;
		}
		*to++ = (char)(high * 16 + low);
		p += 2;
		any = true;
	}
	*to = '\0';
	return any;
}

/* However often a server decodes it: no "..", and no control character of another protocol. */
static int check_path(const char *path, struct error *err)
{
	enum { ROUNDS = 4 };
	char text[sizeof(((struct url *)0)->path)];

	(void)snprintf(text, sizeof(text), "%s", path);
	for (int i = 0; i < ROUNDS; i++) {
		if (has_dot_segment(text))
			return fail(err, ERR_CALLER,
				    "the path has a '.' or '..' part, plain or "
				    "encoded");
		for (const char *p = text; *p; p++)
			if ((unsigned char)*p < 0x20 || *p == 0x7f)
				return fail(err, ERR_CALLER,
					    "the path has an encoded control character");
		if (!decode_once(text))
			return 0;
	}
	return fail(err, ERR_CALLER, "the path is encoded more than %d times over", ROUNDS - 1);
}

static int take_path(struct rest *r, struct url *u, struct error *err)
{
	const char *end = memchr(r->at, '?', (size_t)(r->end - r->at));
	size_t len;

	end = end ? end : r->end;
	len = (size_t)(end - r->at);
	if (len >= sizeof(u->path))
		return fail(err, ERR_CALLER, "the path is longer than %zu bytes",
			    sizeof(u->path) - 1);
	if (len == 0) {
		u->path[0] = '/';
		u->path[1] = '\0';
	} else {
		memcpy(u->path, r->at, len);
		u->path[len] = '\0';
	}
	r->at = end;
	return check_part(u->path, "/", "path", err) < 0 ? -1 : check_path(u->path, err);
}

static int take_query(struct rest *r, struct url *u, struct error *err)
{
	size_t len;

	u->query[0] = '\0';
	if (r->at == r->end)
		return 0;
	len = (size_t)(r->end - ++r->at);
	if (len >= sizeof(u->query))
		return fail(err, ERR_CALLER, "the query is longer than %zu bytes",
			    sizeof(u->query) - 1);
	memcpy(u->query, r->at, len);
	u->query[len] = '\0';
	return check_part(u->query, "/?", "query", err);
}

int url_parse(const char *text, size_t len, struct url *ret, struct error *err)
{
	struct rest r = {text, text + len};
	struct url u = {0};

	if (check_bytes(text, len, err) < 0 || take_scheme(&r, &u, err) < 0 ||
	    take_authority(&r, &u, err) < 0 || take_path(&r, &u, err) < 0 ||
	    take_query(&r, &u, err) < 0)
		return -1;
	*ret = u;
	return 0;
}

int url_text(const struct url *u, char *ret, size_t room, struct error *err)
{
	const struct scheme *s = find_scheme(u->scheme);
	bool six = u->is_address && strchr(u->host, ':');
	char port[8] = "";
	int n;

	if (!s || u->port == 0 || !u->host[0] || u->path[0] != '/')
		return fail(err, ERR_INTERNAL, "a URL that was never read cannot be written");
	if (u->port != s->port)
		(void)snprintf(port, sizeof(port), ":%u", (unsigned)u->port);
	n = snprintf(ret, room, "%s://%s%s%s%s%s%s%s", u->scheme, six ? "[" : "", u->host,
		     six ? "]" : "", port, u->path, u->query[0] ? "?" : "", u->query);
	if (n < 0 || (size_t)n >= room)
		return fail(err, ERR_CALLER, "the URL does not fit into %zu bytes", room);
	return 0;
}

int url_check_host_pattern(const char *pattern, struct error *err)
{
	const char *name = pattern;
	char again[INET6_ADDRSTRLEN];
	bool address = false;

	if (strncmp(name, "*.", 2) == 0)
		name += 2;
	if (strchr(name, '*'))
		return fail(err, ERR_CALLER,
			    "'%.80s': '*' stands only in front, for whole parts: *.example.com",
			    pattern);
	if (name == pattern && strchr(name, ':')) {
		if (name[0] == '[')
			return fail(err, ERR_CALLER,
				    "'%.80s': an IPv6 address is written without [] here", pattern);
		if (check_ipv6(name, again, err) < 0)
			return fail_in(err, "'%.80s'", pattern);
		return strcmp(again, name) == 0
			       ? 0
			       : fail(err, ERR_CALLER, "'%.80s' is written %s", pattern, again);
	}
	for (const char *p = name; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			return fail(err, ERR_CALLER, "'%.80s': lower case only", pattern);
	if (check_name(name, &address, err) < 0)
		return fail_in(err, "'%.80s'", pattern);
	if (name != pattern && (address || !strchr(name, '.')))
		return fail(err, ERR_CALLER,
			    "'%.80s' is too wide: at least two parts follow '*.', as in "
			    "*.example.com",
			    pattern);
	return 0;
}

bool url_host_matches(const char *host, const char *pattern)
{
	size_t host_len = strlen(host), len;

	if (strncmp(pattern, "*.", 2) != 0)
		return strcmp(host, pattern) == 0;
	pattern++; /* from the dot on: no label is cut in two, and at least one stands before it */
	len = strlen(pattern);
	return host_len > len && strcmp(host + host_len - len, pattern) == 0;
}
