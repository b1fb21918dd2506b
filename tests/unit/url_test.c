/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/url.h"

#include "base/own.h"
#include "tap.h"

struct good {
	const char *text, *again;
};

static const struct good good[] = {
	{"https://example.com", "https://example.com/"},
	{"https://example.com/", "https://example.com/"},
	{"HTTPS://EXAMPLE.com/Path", "https://example.com/Path"},
	{"https://example.com:443/", "https://example.com/"},
	{"http://example.com:443/", "http://example.com:443/"},
	{"http://example.com:80/", "http://example.com/"},
	{"ws://a.b/", "ws://a.b/"},
	{"wss://a.b:65535/x", "wss://a.b:65535/x"},
	{"https://localhost:8080/x", "https://localhost:8080/x"},
	{"https://a.b?", "https://a.b/"},
	{"https://a.b?q=1&r=%20%0A", "https://a.b/?q=1&r=%20%0A"},
	{"https://a.b/?a/b?c", "https://a.b/?a/b?c"},
	{"https://a.b/p@q:r", "https://a.b/p@q:r"}, /* behind the first slash it is a path */
	{"https://a.b/?u=https://c.d/", "https://a.b/?u=https://c.d/"},
	{"https://a.b/a%20b;c=1/~x", "https://a.b/a%20b;c=1/~x"},
	{"https://a.b/group%2Fproject", "https://a.b/group%2Fproject"},
	{"https://a.b//x", "https://a.b//x"},
	{"https://a.b/...", "https://a.b/..."},
	{"https://a.b/.well-known/x", "https://a.b/.well-known/x"},
	{"https://a.b/a..b", "https://a.b/a..b"},
	{"https://a.b/100%25", "https://a.b/100%25"},
	{"https://a.b/?up=../..", "https://a.b/?up=../.."},
	{"https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"},
	{"https://1e100.net/", "https://1e100.net/"},
	{"https://3com.example/", "https://3com.example/"},
	{"https://a.b0x1/", "https://a.b0x1/"},
	{"https://127.0.0.1/", "https://127.0.0.1/"},
	{"https://[::1]/", "https://[::1]/"},
	{"https://[2001:DB8:0:0:0:0:0:1]:8443/", "https://[2001:db8::1]:8443/"},
	{"https://[2001:0:0:1:c:0:0:9]/", "https://[2001::1:c:0:0:9]/"}, /* the first of two */
	{"https://[1:0:0:2:0:0:0:3]/", "https://[1:0:0:2::3]/"},
	{"https://[0:0:1:c:0:0:1:9]/", "https://[::1:c:0:0:1:9]/"},
	{"https://[fe80:0:1:0:2:0:3:0]/", "https://[fe80:0:1:0:2:0:3:0]/"},
	{"https://[fe80:1:2:3:4:5:0:0]/", "https://[fe80:1:2:3:4:5::]/"},
	{"https://[::]/", "https://[::]/"},
};

TEST(plain_urls_are_read_and_written_in_one_way)
{
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		char text[URL_TEXT_MAX] = "";
		struct error err = {0};
		struct url u, again;

		if (url_parse(good[i].text, strlen(good[i].text), &u, &err) < 0) {
			printf("# %s: %s\n", good[i].text, err.text);
			CHECK(false);
			continue;
		}
		CHECK(url_text(&u, text, sizeof(text), &err) == 0);
		CHECK_STR(text, good[i].again);
		CHECK(url_parse(text, strlen(text), &again, &err) == 0);
		CHECK(memcmp(&u, &again, sizeof(u)) == 0);
	}
}

TEST(the_parts_are_what_everybody_sees)
{
	static const char text[] = "https://Api.Example.com:8443/v1/x?y=z";
	struct error err = {0};
	struct url u;

	CHECK(url_parse(text, strlen(text), &u, &err) == 0);
	CHECK_STR(u.scheme, "https");
	CHECK_STR(u.host, "api.example.com");
	CHECK(u.port == 8443 && !u.is_address);
	CHECK_STR(u.path, "/v1/x");
	CHECK_STR(u.query, "y=z");
	CHECK(url_parse("http://10.0.0.1", 15, &u, &err) == 0);
	CHECK(u.is_address && u.port == 80);
	CHECK(url_parse("http://[fe80::1]", 16, &u, &err) == 0);
	CHECK(u.is_address);
	CHECK_STR(u.host, "fe80::1");
}

static const struct good bad[] = {
	{"", "scheme"},
	{"example.com", "scheme"},
	{"//example.com/", "scheme"},
	{"/etc/passwd", "scheme"},
	{"https:example.com", "scheme"},
	{"https:/example.com", "scheme"},
	{"https:///example.com", "no host"},
	{"https://", "no host"},
	{"https://?x", "no host"},
	{"https://:443/", "no host"},
	{"1https://a.b/", "scheme"},
	{"ht tps://a.b/", "space"},
	{" https://a.b/", "space"},
	{"https://a.b/ ", "space"},
	{"https://a.b/\n", "control"},
	{"https://a.b/\tx", "control"},
	{"ht\ntps://a.b/", "control"},
	{"https://a.b/\x7f", "control"},
	{"file:///etc/passwd", "'file' is not known"},
	{"ftp://a.b/", "not known"},
	{"gopher://a.b/", "not known"},
	{"javascript://a.b/%0Aalert(1)", "not known"},
	{"data:text/html,x", "scheme"},
	{"averyveryverylongscheme://a.b/", "scheme"},
	/* whose host? */
	{"https://good.example@evil.example/", "user name"},
	{"https://good.example:443@evil.example/", "user name"},
	{"https://:@evil.example/", "user name"},
	{"https://@evil.example/", "user name"},
	{"https://good.example%40evil.example/", "'%'"},
	{"https://evil.example\\@good.example/", "backslash"},
	{"https://evil.example\\.good.example/", "backslash"},
	{"https:\\\\evil.example/", "backslash"},
	{"https://a.b/x\\y", "backslash"},
	{"https://evil.example#@good.example/", "fragment"},
	{"https://evil.example#.good.example/", "fragment"},
	{"https://a.b/#x", "fragment"},
	{"https://a.b/x#", "fragment"},
	{"https://evil%2eexample/", "'%'"},
	{"https://good.example%00.evil.example/", "'%'"},
	{"https://g\xc3\xb6t.example/", "not ASCII"},
	{"https://\xd0\xb0pple.com/", "not ASCII"},                      /* Cyrillic a */
	{"https://evil.example\xe3\x80\x82good.example/", "not ASCII"},  /* ideographic full stop */
	{"https://\xef\xbd\x85vil.example/", "not ASCII"},               /* full-width e */
	{"https://evil.example\xef\xbc\x8f@good.example/", "not ASCII"}, /* full-width solidus */
	{"https://a.b/\xc3\xa9", "not ASCII"},
	{"https://a.b/?\xc3\xa9", "not ASCII"},
	{"https://a..b/", "empty"},
	{"https://.a.b/", "empty"},
	{"https://a.b./", "ends in a dot"},
	{"https://a.b.:443/", "ends in a dot"},
	{"https://./", "ends in a dot"},
	{"https://-a.b/", "begins or ends"},
	{"https://a-.b/", "begins or ends"},
	{"https://a_b.c/", "'_'"},
	{"https://a*b.c/", "'*'"},
	{"https://*.b.c/", "'*'"},
	{"https://a,b/", "','"},
	{"https://a.b;c/", "';'"},
	{"https://a!b/", "'!'"},
	{"https://a&b/", "'&'"},
	{"https://{a}/", "'{'"},
	/* addresses in disguise */
	{"http://2130706433/", "number"},
	{"http://0x7f000001/", "number"},
	{"http://0x7f.1/", "number"},
	{"http://0X7F.1/", "number"},
	{"http://017700000001/", "number"},
	{"http://127.1/", "number"},
	{"http://127.0.1/", "number"},
	{"http://0177.0.0.1/", "number"},
	{"http://127.0.0.01/", "number"},
	{"http://127.0.0.0x1/", "number"},
	{"http://127.0.0.1.1/", "number"},
	{"http://256.0.0.1/", "number"},
	{"http://1.2.3.999999/", "number"},
	{"http://0/", "number"},
	{"http://0x/", "number"},
	{"http://a.1/", "number"},
	{"http://example.0x1/", "number"},
	{"http://127.0.0.1./", "ends in a dot"},
	{"http://[::ffff:127.0.0.1]/", "IPv4"},
	{"http://[::ffff:7f00:1]/", "IPv4"},
	{"http://[::127.0.0.1]/", "IPv4"},
	{"http://[::10.0.0.0]/", "IPv4"},
	{"http://[::0.0.1.0]/", "IPv4"},
	{"http://[fe80::1%25eth0]/", "IPv6"},
	{"http://[fe80::1%eth0]/", "IPv6"},
	{"http://[::1/", "']'"},
	{"http://[]/", "IPv6"},
	{"http://[1.2.3.4]/", "IPv6"},
	{"http://[a.b]/", "IPv6"},
	{"http://[v1.x]/", "IPv6"},
	{"http://[::1]x/", "between"},
	{"http://[::1].evil.example/", "between"},
	{"http://x[::1]/", "'['"},
	{"http://::1/", "no host"},
	{"http://fe80::1/", "port"},
	{"http://[1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21:22:23:24:25:26:27]/",
	 "too long"},
	/* ports */
	{"https://a.b:/", "port"},
	{"https://a.b:0/", "port"},
	{"https://a.b:080/", "port"},
	{"https://a.b:65536/", "port"},
	{"https://a.b:99999/", "port"},
	{"https://a.b:4294967739/", "port"},
	{"https://a.b:+443/", "port"},
	{"https://a.b:-1/", "port"},
	{"https://a.b:44x/", "port"},
	{"https://a.b:443:443/", "port"},
	{"https://a.b:%34/", "port"},
	/* paths that lead elsewhere */
	{"https://a.b/../x", "'..'"},
	{"https://a.b/x/..", "'..'"},
	{"https://a.b/x/../y", "'..'"},
	{"https://a.b/./x", "'..'"},
	{"https://a.b/x/.", "'..'"},
	{"https://a.b/%2e%2e/x", "'..'"},
	{"https://a.b/%2E./x", "'..'"},
	{"https://a.b/.%2e", "'..'"},
	{"https://a.b/%2e", "'..'"},
	{"https://a.b/..%2fx", "'..'"},
	{"https://a.b/x%2f..%2fy", "'..'"},
	{"https://a.b/..%5cx", "'..'"},
	{"https://a.b/%252e%252e/x", "'..'"},
	{"https://a.b/%25252e%25252e/x", "'..'"},
	{"https://a.b/..;/x", "'..'"},
	{"https://a.b/..;a=b/x", "'..'"},
	{"https://a.b/%2525252525252e", "more than"},
	{"https://a.b/%", "two hex digits"},
	{"https://a.b/%2", "two hex digits"},
	{"https://a.b/%zz", "two hex digits"},
	{"https://a.b/%u0041", "two hex digits"},
	{"https://a.b/?%", "two hex digits"},
	{"https://a.b/%00", "NUL"},
	{"https://a.b/?%00", "NUL"},
	{"https://a.b/%0d%0aHost:x", "control"},
	{"https://a.b/%250a", "control"},
	{"https://a.b/a\"b", "%22"},
	{"https://a.b/<x>", "%3C"},
	{"https://a.b/`id`", "%60"},
	{"https://a.b/a|b", "%7C"},
	{"https://a.b/?a[0]=1", "%5B"},
	{"https://a.b/{x}", "%7B"},
	{"https://a.b/^", "%5E"},
};

TEST(whatever_readers_disagree_about_is_refused_with_its_reason)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct url u = {.port = 7};
		struct error err = {0};
		bool refused = url_parse(bad[i].text, strlen(bad[i].text), &u, &err) < 0;

		if (!refused || !strstr(err.text, bad[i].again))
			printf("# %s: %s\n", bad[i].text, refused ? err.text : "accepted");
		CHECK(refused && err.kind == ERR_CALLER && strstr(err.text, bad[i].again));
		CHECK(u.port == 7); /* written only on success */
	}
}

TEST(a_nul_inside_is_no_end)
{
	struct error err = {0};
	struct url u;

	CHECK(url_parse("https://a.b/\0.evil", 18, &u, &err) < 0);
	CHECK(url_parse("https://a.b\0.evil/", 18, &u, &err) < 0);
}

static bool reads(const char *front, char fill, size_t n, const char *back)
{
	char text[8192];
	struct error err = {0};
	struct url u;
	size_t len = strlen(front);

	memcpy(text, front, len);
	memset(text + len, fill, n);
	(void)snprintf(text + len + n, sizeof(text) - len - n, "%s", back);
	return url_parse(text, strlen(text), &u, &err) == 0;
}

TEST(lengths_have_ceilings)
{
	char host[300] = "https://";

	CHECK(reads("https://", 'a', 63, ".b/"));
	CHECK(!reads("https://", 'a', 64, ".b/"));
	CHECK(!reads("https://", 'a', 400, "/"));
	CHECK(reads("https://a.b/", 'x', 2047, ""));
	CHECK(!reads("https://a.b/", 'x', 2048, ""));
	CHECK(reads("https://a.b/?", 'x', 2048, ""));
	CHECK(!reads("https://a.b/?", 'x', 2049, ""));
	CHECK(!reads("https://a.b/", 'x', 6000, ""));
	for (int i = 0; i < 126; i++)
		memcpy(host + 8 + 2 * i, "a.", 3);
	CHECK(reads(host, 'a', 1, "/"));  /* 253 */
	CHECK(!reads(host, 'a', 2, "/")); /* 254 */
}

TEST(a_text_that_does_not_fit_is_not_cut)
{
	struct error err = {0};
	struct url u, nothing = {0};
	char text[16];

	CHECK(url_parse("https://a.b/cd", 14, &u, &err) == 0);
	CHECK(url_text(&u, text, 15, &err) == 0);
	CHECK(url_text(&u, text, 14, &err) < 0);
	CHECK(url_text(&nothing, text, sizeof(text), &err) < 0);
}

TEST(host_patterns_are_names_or_everything_beneath_two_labels)
{
	static const char *const fine[] = {"example.com",   "*.example.com", "localhost",
					   "*.a.b.c",       "10.0.0.1",      "::1",
					   "xn--a.example", "a-b.example"};
	static const struct good wrong[] = {
		{"*", "'*'"},
		{"*.com", "too wide"},
		{"*.*.com", "'*'"},
		{"a*.b.c", "'*'"},
		{"a.*.c", "'*'"},
		{"*a.b.c", "'*'"},
		{"*.", "empty"},
		{"", "empty"},
		{".example.com", "empty"},
		{"example.com.", "empty"},
		{"Example.com", "lower case"},
		{"example.com:443", "IPv6"},
		{"https://example.com", "IPv6"},
		{"example.com/x", "'/'"},
		{"user@example.com", "'@'"},
		{"[::1]", "without []"},
		{"0:0:0:0:0:0:0:1", "is written ::1"},
		{"127.1", "number"},
		{"*.0.0.1", "number"},
		{"*.10.0.0.1", "too wide"},
		{"b\xc3\xbc.example", "host has"},
	};
	struct error err;

	for (size_t i = 0; i < ARRAY_LEN(fine); i++) {
		err = (struct error){0};
		CHECK(url_check_host_pattern(fine[i], &err) == 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		bool refused;

		err = (struct error){0};
		refused = url_check_host_pattern(wrong[i].text, &err) < 0;
		if (!refused || !strstr(err.text, wrong[i].again))
			printf("# %s: %s\n", wrong[i].text, err.text);
		CHECK(refused && strstr(err.text, wrong[i].again));
	}
}

TEST(hosts_are_compared_label_by_label)
{
	CHECK(url_host_matches("api.example.com", "api.example.com"));
	CHECK(!url_host_matches("api.example.com.evil.example", "api.example.com"));
	CHECK(!url_host_matches("evilapi.example.com", "api.example.com"));
	CHECK(!url_host_matches("example.com", "api.example.com"));
	CHECK(url_host_matches("a.data.example.com", "*.data.example.com"));
	CHECK(url_host_matches("a.b.data.example.com", "*.data.example.com"));
	CHECK(!url_host_matches("data.example.com", "*.data.example.com"));
	CHECK(!url_host_matches("evildata.example.com", "*.data.example.com"));
	CHECK(!url_host_matches("x.evildata.example.com", "*.data.example.com"));
	CHECK(!url_host_matches("data.example.com.evil", "*.data.example.com"));
	CHECK(!url_host_matches("", "*.example.com"));
}
