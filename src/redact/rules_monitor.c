/* SPDX-License-Identifier: Apache-2.0 */
/* rules_monitor.c - what reads measurements and wakes people: monitoring and incident services.
 *
 * Patterns from the formats that their makers published.  Examples are made up, and written in
 * two halves, so that nobody's scanner takes them for real ones.
 */
#include "base/own.h"
#include "redact/redact_rule.h"

/* clang-format off */
static const struct redact_rule rows[] = {
	{
		.id = "datadog-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("(?:datadog|\\bdd_(?:api|app))", "[0-9a-f]{40}\\b"),
		.yes = {"datadog:{{9285" "ca88950a5de7eb17e34d22eb72a1489d936b}}"},
		.no = {"dd_app:=9226" "584b1b4995044563edd5eb71cac65fdd73d"},
	},
	{
		.id = "datadog-api-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("(?:datadog|\\bdd_api)", "[0-9a-f]{32}\\b"),
		.yes = {"dd_api:{{477b" "4b0747cc9150f5700453847da520}}"},
		.no = {"dd_api:=0549" "92361e60fac4783439027955e2a"},
	},
	{
		.id = "newrelic-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bNR(?:AK|JS|II|RA|SP)-[A-Za-z0-9_-]{19,}",
		.begins = "NRAK- NRII- NRJS- NRRA- NRSP-",
		.yes = {"use {{NRRA" "-5f9eL5HbWW4DCKQCWgS}} now"},
		.no = {"use NRSP" "-RsUcYt1HeIqVs4GPGL now"},
	},
	{
		.id = "newrelic-license",
		.group = REDACT_CREDENTIAL,
		.needs = "NRAL",
		.pattern = "\\b[0-9a-f]{36}NRAL\\b",
		.yes = {"use {{6e0ca0638397ac820d4edf973da197ae8595N" "RAL}} now"},
		.no = {"use b6370e2200e7591242ec3f59034795129b2eN" "RA now"},
	},
	{
		.id = "sentry-dsn",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bhttps?://([0-9a-f]{32})(?::[0-9a-f]{32})?@[a-z0-9.-]{1,60}/[0-9]",
		.begins = "http:// https://",
		.yes = {"use http://{{743e" "d27743bad58b963c4c31505745cb}}@5/32345"},
		.no = {"use http://1f3d" "32dc0345942f9263c726bcdc171@./92345"},
	},
	{
		.id = "sentry-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bsntry[su]_[A-Za-z0-9+/=_-]{40,}",
		.begins = "sntrys_ sntryu_",
		.yes = {"use {{sntr" "ys_5/x9phhM1BzUQgII6Ux3-O3jsqPTpCF/tLy2mPPX}} now"},
		.no = {"use sntr" "yu_Yhwxa=7Dlk-QBdDGH04ocra8duTV8uzf7nlMs1O now"},
	},
	{
		.id = "grafana-cloud-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bglc_[A-Za-z0-9+/=]{32,}",
		.begins = "glc_",
		.yes = {"use {{glc_" "2y8M+gvmIcy/s5gxtEQ5aPeuLGfAr9/Q}} now"},
		.no = {"use glc_" "bdepS0C66rXw6+0P/DcbVag8u2I+/MV now"},
	},
	{
		.id = "grafana-service-account",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bglsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}\\b",
		.begins = "glsa_",
		.yes = {"use {{glsa" "_D2R0iVacq2QW9PLR5UwYZY6oVGfxSqUl_aC59083C}} now"},
		.no = {"use glsa" "_L2BAwYhQh2JOe94y6yJVn3PWux0Acx7k_165fB85 now"},
	},
	{
		.id = "grafana-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\beyJrIjoi[A-Za-z0-9_=-]{50,}",
		.begins = "eyJrIjoi",
		.yes = {"use {{eyJrIjoi" "nKl1qYmfP8OGgAWEWesvDNptjeS=E9zGnMg7uewQTLGCl=3rpk}} now"},
		.no = {"use eyJrIjoi" "Ji9YZYHYsTr7DUnvIfYhfbu0Cn9L54JsjxEFoth498KG_C79l now"},
	},
	{
		.id = "pagerduty-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("pager_?duty", "[a-z0-9+_-]{20,}"),
		.yes = {"pagerduty=>{{33e9" "kpa1ccbx67gy2zn_}}"},
		.no = {"pagerduty:+1gz" "1wwqr6j52iohjc6"},
	},
	{
		.id = "dynatrace-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bdt0[a-z][0-9]{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}\\b",
		.begins = "dt0",
		.yes = {"use {{dt0j54.S" "Y8FPRYAMBQDEYMHRGH501DW.39QOQ23OYCQT3T2JW89IZ11RXDGGLSE1O0UC587XHD9X0Z0L887AN4GQFK5WNQ5Y}} now"},
		.no = {"use dt0j77.K" "NBXAGJ5RA6R9Z8155MPTW9X.Q689H2FM7LYMUX9YYEEXCOBCCVROI85RM1CSIA9U7C7D81RM6I22R2SQ8HT9TI7 now"},
	},
	{
		.id = "splunk-token",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("splunk", UUID),
		.yes = {"splunk:={{dcf5" "02e2-3206-5427-1279-efebe6fe6e6d}}"},
		.no = {"splunk=>4c05" "d61f-0acd-2a3e-8c2c-c17055f7303"},
	},
	{
		.id = "rollbar-token",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("rollbar", "[0-9a-f]{32}\\b"),
		.yes = {"rollbar=>{{7744" "0f52ac5e7f7db0feb49a60ec8941}}"},
		.no = {"rollbar:9dee" "d9d50550709fdc36cc648c060bd"},
	},
	{
		.id = "bugsnag-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("bugsnag", "[0-9a-f]{32}\\b"),
		.yes = {"bugsnag=>{{e9a5" "5c1e0936a5e47811f11ea3832747}}"},
		.no = {"bugsnag=>f9b0" "a42e59a5677110e4281aecf937f"},
	},
	{
		.id = "honeycomb-key",
		.group = REDACT_CREDENTIAL,
		.needs = "ik_",
		.pattern = "\\bhc[a-z]ik_[0-9a-z]{58}\\b",
		.yes = {"use {{hcei" "k_ww2tvzcpsg7tvdiwzps83da1khnw47fi4nnwylcxjqx3mwxgf4kt7c5jsk}} now"},
		.no = {"use hcri" "k_hdjozam3gqx6311po0271krq9m8tsyu0metkgflyl9mywnsvn5h7oemxy now"},
	},
	{
		.id = "sumologic-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("sumo_?logic", "[a-z0-9]{64}\\b"),
		.yes = {"sumologic:={{5y4w" "iw83j315sns821ey23ml3q9pn0o8g5gc33z4h8u6nx1w5aslulq22o7jb3a1}}"},
		.no = {"sumologic:d4cx" "qd94inoko9z5eoe9j6ufq0bacnnb1alf7qiy1fgniwt26s5taoogka1xi9j"},
	},
	{
		.id = "opsgenie-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("opsgenie", UUID),
		.yes = {"opsgenie=>{{b476" "6cdb-4fda-5848-b0f4-a56cf2d34b10}}"},
		.no = {"opsgenie=>0d6d" "c416-29de-eb15-0ac3-0245a0333ae"},
	},
	{
		.id = "statuspage-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("status_?page", UUID),
		.yes = {"statuspage=>{{d36a" "518c-4572-bfbb-6934-2fb4e72fabe4}}"},
		.no = {"statuspage:=2911" "8493-fd7f-1c5f-b914-41def1d637d"},
	},
	{
		.id = "launchdarkly-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\b(?:sdk|api|mob)-" UUID "\\b",
		.begins = "api- mob- sdk-",
		.yes = {"use {{sdk-" "b6479403-812c-46b0-cd04-86e8c9134650}} now"},
		.no = {"use mob-" "377e69b7-5740-9fc5-8043-80a314d5684 now"},
	},
};
/* clang-format on */

const struct redact_rules rules_monitor = {rows, ARRAY_LEN(rows)};
