/* SPDX-License-Identifier: Apache-2.0 */
/* rules_forge.c - what opens forges and build machines.
 *
 * Patterns from the formats that their makers published.  Examples are made up, and written in
 * two halves, so that nobody's scanner takes them for real ones.
 */
#include "base/own.h"
#include "redact/redact_rule.h"

/* clang-format off */
static const struct redact_rule rows[] = {
	{
		.id = "github-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bgh[pousr]_[A-Za-z0-9]{36,}",
		.begins = "gho_ ghp_ ghr_ ghs_ ghu_",
		.yes = {"use {{ghs_" "pNWjWb3ygATIEMj1JTPPmbh33a19aVY14SuP}} now"},
		.no = {"use ghr_" "hXjs191L0YmKvSSqDhKFTuygderdZbShpXN now", "ghp_ is the prefix of personal tokens", "ghp_xxxx"},
	},
	{
		.id = "github-fine-grained",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bgithub_pat_[A-Za-z0-9_]{60,}",
		.begins = "github_pat_",
		.yes = {"use {{gith" "ub_pat_1CQGeSICvtwcMcpxos0HpT2If75wwuyXLof1uPxru3SUZJunMbqH7rPpylBs}} now"},
		.no = {"use gith" "ub_pat_j50qzY7eDR7T6SVSuSFnvT6d8G7fdqqe6Iu3I3WZTUcCyI8FJgo2_XhLevo now"},
	},
	{
		.id = "gitlab-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bgl(?:pat|ptt|dt|rt|rtr|cbt|imt|agent|oas|ft|soat|ffct|wt)-[A-Za-z0-9_.=-]{20,}",
		.begins = "glagent- glcbt- gldt- glffct- glft- glimt- gloas- glpat- glptt- glrt- glrtr- glsoat- glwt-",
		.yes = {"use {{glwt" "-JHPmzcC5r_XtDm-ZbD=I}} now"},
		.no = {"use gloa" "s-oquZEfMqiCbPMqUA=rr now", "run with glibc-2.36-9-deb12u14-amd64"},
	},
	{
		.id = "gitlab-runner",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bGR1348941[A-Za-z0-9_-]{20}",
		.begins = "GR1348941",
		.yes = {"use {{GR13" "489415HjCaGLKWuLwqpuMsIL6}} now"},
		.no = {"use GR13" "48941_AP4ON7DK7XgtGJZZ-P now"},
	},
	{
		.id = "gitlab-session",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\b_gitlab_session=([0-9a-f]{32})\\b",
		.begins = "_gitlab_sess",
		.yes = {"Cookie: _gitlab_session={{21a4" "1f47fdd316a501d0ab48e0497861}} now"},
		.no = {"Cookie: _gitlab_session=231f" "d1b2bf3b640b9ffc90a6a38cc48 now"},
	},
	{
		.id = "bitbucket-password",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bATBB[A-Za-z0-9]{32}\\b",
		.begins = "ATBB",
		.yes = {"use {{ATBB" "nsLiQ8JxD0phhycJ8opvKcIK1x6h5xHJ}} now"},
		.no = {"use ATBB" "m0jMiVK274DxeBWMZfBDsJ27FIV406s now"},
	},
	{
		.id = "bitbucket-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bATCTT3[A-Za-z0-9_=-]{150,}",
		.begins = "ATCTT3",
		.yes = {"use {{ATCT" "T3Q1IjR8c8LtqD2fuk1gMkuvPnKMska0Av9EeTvOMkN_zfPtdviaEc7yYY9nw3qL3Wj-qImQElc=IGKvY2n4vjRwFuOz0-skg3cukjDuFWLv_EWRJuYPrj3xiiPVplpzxXo51z1meh5I2YEXlQgxtvWo}} now"},
		.no = {"use ATCT" "T3GFMkYBWprSB7Lp4CxniDVn=OZ=y6mEW7wB85Di3mIlsFJRWDeR2PyzUNZYFDUPSf7LWqcVKQV0toU=IvA23McAiiYi0wwXXQBHBXQnhJPo8Ljxu5dCnnDjy=50MwDqhir92Autp0c6R6GSlAf1dMk now"},
	},
	{
		.id = "bitbucket-secret",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("bitbucket", "[a-z0-9_-]{64,}"),
		.yes = {"bitbucket=>{{z0dl" "lj258ha_8h-e46l3i28n-3gofk_ly6cogn2hi4vr9si1o3yzxl0dgkhs4ihw}}"},
		.no = {"bitbucket=>cj8f" "o3vvsxg5mlcsdelgh6zeoasw1-poxe__lzy4qsm8jkifycbnj-2fsv8imsd"},
	},
	{
		.id = "gitea-token",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("(?:gitea|forgejo|gogs|codeberg)", "[0-9a-f]{40}\\b"),
		.yes = {"codeberg=>{{2608" "61ba3a72f6e070054147c52a713d7e3c76bc}}"},
		.no = {"forgejo=>3a11" "0d60172dff81a23e06f54fc126b7dbcecfd"},
	},
	{
		.id = "circleci-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bCCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}\\b",
		.begins = "CCIPAT_ CCIPRJ_",
		.yes = {"use {{CCIP" "AT_PCoJ8WNVNIx7baz8MNhsU7_9a740cd8ef2963259539f8e3abd4b6dbd1158e0c}} now"},
		.no = {"use CCIP" "AT_6J0nkx5SX2M8iy0fTrRrmj_a612ea5f41ee0ba0b6ddda4d21eea286e7f20e8 now"},
	},
	{
		.id = "travis-token",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("travis", "[a-z0-9_-]{22,}"),
		.yes = {"travis:={{va7g" "7z0-1t5b7trsrvymll}}"},
		.no = {"travis:=ob1-" "1t8gc2_hielats806"},
	},
	{
		.id = "buildkite-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bbk(?:ua|at|pt|ct|aj)_[0-9a-f]{40}\\b",
		.begins = "bkaj_ bkat_ bkct_ bkpt_ bkua_",
		.yes = {"use {{bkat" "_10a44253b790fd078aff62cbedfe5cd13ba80af3}} now"},
		.no = {"use bkaj" "_053f463931acf4c94720b3ebba9ed94fca8128b now"},
	},
	{
		.id = "jenkins-token",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("jenkins", "11[0-9a-f]{32}\\b"),
		.yes = {"jenkins:={{1102" "e4b19d636992921cb6549ea7bf57ea}}"},
		.no = {"jenkins:=11f7" "2d0e7b5782c620fd21de522c327a7"},
	},
	{
		.id = "drone-token",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("drone", "[a-z0-9]{32}\\b"),
		.yes = {"drone=>{{bzy9" "2x4933anwgfl5witt37s220ev2vs}}"},
		.no = {"drone:wsk0" "zwb0vdyg89cw6do0oer4ojamjbz"},
	},
	{
		.id = "sourcegraph-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bsgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}\\b",
		.begins = "sgp_",
		.yes = {"use {{sgp_" "21d0c15c78b5ec170415c696f563a4eb2fc2a2a1}} now"},
		.no = {"use sgp_" "905c8879051b38f0683ebf25705dcb4cfd8a70f now"},
	},
	{
		.id = "sonarqube-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bsq[apu]_[0-9a-f]{40}\\b",
		.begins = "sqa_ sqp_ squ_",
		.yes = {"use {{sqp_" "048fce5b87b2e0ac040ce8ea8aa1276bba5be55b}} now"},
		.no = {"use sqp_" "ead35e47266c09841626bc6af790cf503ea5e81 now"},
	},
	{
		.id = "codecov-token",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("codecov", UUID),
		.yes = {"codecov:={{2bae" "1f96-d86f-9719-0110-f170080bb619}}"},
		.no = {"codecov=a884" "904b-d341-035f-22f7-956092f4a72"},
	},
	{
		.id = "snyk-token",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("snyk", UUID),
		.yes = {"snyk:={{d1d1" "5a6c-5878-70ac-9d39-8a322398bd4e}}"},
		.no = {"snyk=>5b1e" "361d-906d-428c-8286-511c9bfc684"},
	},
	{
		.id = "octopus-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bAPI-[A-Z0-9]{26}\\b",
		.begins = "API-",
		.yes = {"use {{API-" "7DXP5KPZMMFVZFO1K61ZLIKXWM}} now"},
		.no = {"use API-" "MQL5NAED0X8F06VDF7HVB659Q now"},
	},
	{
		.id = "harness-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\b(?:pat|sat)\\.[A-Za-z0-9_-]{22}\\.[0-9a-f]{24}\\.[A-Za-z0-9]{20}\\b",
		.begins = "pat. sat.",
		.yes = {"use {{pat.bStI" "F1xkxFNYm8-9lRC0mo.9b1a4434e89650e4495dc4ef.NNTiFfFN5zF2nu9hfnBA}} now"},
		.no = {"use pat.qjm-" "fEDNqPIqpfsCcGeZ2_.a120f2b7906b2ba1ee37dbd6.oFD390f7YW04nQb0FLm now"},
	},
};
/* clang-format on */

const struct redact_rules rules_forge = {rows, ARRAY_LEN(rows)};
