/* SPDX-License-Identifier: Apache-2.0 */
/* rules_packages.c - what publishes packages and images.
 *
 * Patterns from the formats that their makers published.  Examples are made up, and written in
 * two halves, so that nobody's scanner takes them for real ones.
 */
#include "base/own.h"
#include "redact/redact_rule.h"

/* clang-format off */
static const struct redact_rule rows[] = {
	{
		.id = "npm-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bnpm_[A-Za-z0-9]{36}\\b",
		.begins = "npm_",
		.yes = {"use {{npm_" "en2RUNrZ69pvZFfXrc4bRW1GMDV5MUYGQgqw}} now"},
		.no = {"use npm_" "FORqlHIeQ2MRhTEP6OAUIhAH74hmEFkHvV2 now"},
	},
	{
		.id = "npmrc-token",
		.group = REDACT_CREDENTIAL,
		.needs = "_auth _password",
		.pattern = GIVEN_FAR("_(?:authToken|password|auth)", "[a-z0-9+/=_-]{16,}"),
		.yes = {"//registry.npmjs.org/:_authToken={{M5hQ" "yWHNqbjsAR1L}} now"},
		.no = {"//registry.npmjs.org/:_auth=6IL_" "HuBcbOLBQXi now"},
	},
	{
		.id = "pypi-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bpypi-AgE[A-Za-z0-9_-]{50,}",
		.begins = "pypi-AgE",
		.yes = {"use {{pypi" "-AgEWOD5bBErWajC1kBcqxqF1zkLD86bCqR5eaG5Bq3jfHLM-QVO93}} now"},
		.no = {"use pypi" "-AgENvW2V-R20t5b231fAZJrhNMhuKQppKpTiSOqOpP8dtH6wZ2_N now"},
	},
	{
		.id = "rubygems-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\brubygems_[0-9a-f]{48}\\b",
		.begins = "rubygems_",
		.yes = {"use {{ruby" "gems_6bde72917dde8364962027b6cac8a6585ba53b318cf294e0}} now"},
		.no = {"use ruby" "gems_a9f3f26642cff8071c4f04bd5613d5db090e910ae57145a now"},
	},
	{
		.id = "crates-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bcio[A-Za-z0-9]{32}\\b",
		.begins = "cio",
		.yes = {"use {{cioW" "wgDcxf8sQ5JC7bbzQV5WOmBj7gENXSi}} now"},
		.no = {"use ciow" "48l0BEZIg3bh9VMTHpdwcgCbNSEj6U now"},
	},
	{
		.id = "nuget-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\boy2[a-z0-9]{43}\\b",
		.begins = "oy2",
		.yes = {"use {{oy2y" "fjfeo331d2102qq6676bs87sdfol6fxx5watf7orgr}} now"},
		.no = {"use oy2z" "fwbuiulg7sl2ji8rn1klsq4vhaszxwy08b5bhkat0 now"},
	},
	{
		.id = "docker-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}",
		.begins = "dckr_oat_ dckr_pat_",
		.yes = {"use {{dckr" "_pat_tGjvuPNyycz0llgiqXclGHAQbwl}} now"},
		.no = {"use dckr" "_pat_rp5iQby3R8mXQBIBJtB2b5Iwdw now"},
	},
	{
		.id = "clojars-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bCLOJARS_[a-z0-9]{60}\\b",
		.begins = "CLOJARS_",
		.yes = {"use {{CLOJ" "ARS_a1emzzpuw8udf3995bn817tg1lv6ri4dbcy91uck37qfqfenbmy2ggu7u9q2}} now"},
		.no = {"use CLOJ" "ARS_9m2hap1ji45p005buwgzisiwzkvmt62snv7c59moivv9a45qft0tbcjtw4o now"},
	},
	{
		.id = "packagist-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bpackagist_(?:ack|out|uut|ort|urt)_[0-9a-f]{60,}",
		.begins = "packagist_ac packagist_or packagist_ou packagist_ur packagist_uu",
		.yes = {"use {{pack" "agist_out_f14bdf0281b832a32e546cfe107c6dc9464df24fd9fffef1f2ea702fc508}} now"},
		.no = {"use pack" "agist_urt_9e0eba53f0ae2d8aab6673b0dc9e774e6f8478725ebd53090430de975ee now"},
	},
	{
		.id = "jfrog-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bAKCp[A-Za-z0-9]{69}\\b",
		.begins = "AKCp",
		.yes = {"use {{AKCp" "SCvj3kfxazVnBJq4og9SD7Pc7lgHSMsVr6vWV5kjAEBz6nVxyHmwlywynvbUa5W0MxOim}} now"},
		.no = {"use AKCp" "WQqzVFPeQvNDtiwfPrtklIsZg8YAdZ6lshQh4hxgfkYSpUJ2qGgxD0SIZJxr3zkYp9z8 now"},
	},
	{
		.id = "jfrog-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bcmVmdGtu[A-Za-z0-9]{56}\\b",
		.begins = "cmVmdGtu",
		.yes = {"use {{cmVm" "dGtuYQfWx5BpPahsAdYS88TdVySHypWFFRQfrnpYp3uu6x9egovJ8LKDdQpL}} now"},
		.no = {"use cmVm" "dGtuykDqLCtOnPKscSAqMXo0htrcMuY13eQiXKFs8QVi8DUSr1vKsLnU2C3 now"},
	},
	{
		.id = "hex-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("\\bhex_?api", "[0-9a-f]{32}\\b"),
		.yes = {"hexapi:{{cbc9" "86b596c065602551e43b8aa7f83a}}"},
		.no = {"hexapi=>51fb" "f2f9227cf5889cf9267b64c4a71"},
	},
	{
		.id = "cloudsmith-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("cloudsmith", "[0-9a-f]{40}\\b"),
		.yes = {"cloudsmith:={{2c8b" "109d8ff7c0cf2be7d2ac5ae82f5e8f650eee}}"},
		.no = {"cloudsmith:70b5" "e8ca9b08e604a130c18148fe9eb4ccb11ee"},
	},
};
/* clang-format on */

const struct redact_rules rules_packages = {rows, ARRAY_LEN(rows)};
