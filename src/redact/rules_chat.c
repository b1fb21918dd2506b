/* SPDX-License-Identifier: Apache-2.0 */
/* rules_chat.c - what speaks for somebody: chat, social networks, mail and phone senders.
 *
 * Patterns from the formats that their makers published.  Examples are made up, and written in
 * two halves, so that nobody's scanner takes them for real ones.
 */
#include "base/own.h"
#include "redact/redact_rule.h"

/* clang-format off */
static const struct redact_rule rows[] = {
	{
		.id = "slack-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
		.yes = {"use {{xoxa" "-uifB7Un39R}} now"},
		.no = {"use xoxe" "-Ms8-QasxN now", "xoxb-", "a token begins with xoxp-"},
	},
	{
		.id = "slack-rotated-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bxoxe\\.xox[bp]-[0-9]-[A-Za-z0-9]{100,}",
		.yes = {"use {{xoxe" ".xoxp-0-d2gYZRZiTF13fz8PEMgDMrLUEC5qwzi8y0hO2ZEfQzMMreaTVt0ZgI90TTHeYLdh0UXW4s1LRaQPXCYoqlueR4UPqlrQNtwm4T6s}} now"},
		.no = {"use xoxe" ".xoxb-5-pykzeIeeVOYRcjEos1GasXlnL5F7Xv18FyvG8Vf7V2LQCREM1AUnKbUC9zjqAa2dx75jb7Dk8T6enaZ0DNouvi8xMmaPiWQUjXa now"},
	},
	{
		.id = "slack-app-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bxapp-[0-9]-[A-Za-z0-9-]{20,}",
		.yes = {"use {{xapp" "-7-b08fObkM5Egwa3uWw1vg}} now"},
		.no = {"use xapp" "-8-nPWfM-ZIj5NnQDnWcA2 now"},
	},
	{
		.id = "slack-webhook",
		.group = REDACT_CREDENTIAL,
		.pattern = "hooks\\.slack\\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})",
		.yes = {"https://hooks.slack.com/services/{{Vy59" "NMAq9kzrO141CcZz}} now"},
		.no = {"https://hooks.slack.com/workflows/z1k2" "uLL8zrgm4cxvQvb now"},
	},
	{
		.id = "discord-webhook",
		.group = REDACT_CREDENTIAL,
		.pattern = "discord(?:app)?\\.com/api/webhooks/[0-9]{17,20}/([A-Za-z0-9_-]{60,})",
		.find = "/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60}",
		.yes = {"https://discord.com/api/webhooks/23499738935497063/{{gKGa" "zQ0-tpNinZkJDqCtlmW7WdfI9cCEaKIxS-dm2R4isiC0fWplC2FUFQNT}} now"},
		.no = {"https://discord.com/api/webhooks/38055883475193088/_Qr_" "dUrMiwvu_85PojV0wGN_A6v63DyGtnZOCNBmRPkYBkUgHYcndXJ4PZD now"},
	},
	{
		.id = "discord-bot-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\b[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}",
		.yes = {"use {{O7A2qALsuhpm0BOZPvUm" "j6vh.TEJyxR.rs9T0Z6_zIi1gU5FsiSiwk8v7xL}} now"},
		.no = {"use NKk4pbH1NEBfZ4ottJqO" "Tx0S.k5IIsK.jn5Bq80A5n5oS9mukQ-KvP3ZNy now"},
	},
	{
		.id = "telegram-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33,}",
		.yes = {"use {{58652784:AA" "GwyMIAB65x3VeolFJPO5faNVGLRMcoMRg}} now"},
		.no = {"use 83619639:AA" "9t3szmgApuwg6QOAlpRh03ax-dzoChK3 now"},
	},
	{
		.id = "teams-webhook",
		.group = REDACT_CREDENTIAL,
		.pattern = "webhook\\.office\\.com/webhookb2/([A-Za-z0-9@/-]{60,})",
		.yes = {"https://corp.webhook.office.com/webhookb2/{{jn8bjsRW" "1sYFwwd5f9-B9V3wlaczRrt3z8kiLsjhBl3qDYj0vdpl3ZG8OQh@}} now"},
		.no = {"https://corp.webhook.office.com/webhookb2/i7/EMT-V" "O6LJsJLSMlY4SjkW/kqcxPq5tPd4VW/Qfv-dLF4ebuYB3ao4HDw now"},
	},
	{
		.id = "mattermost-token",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("mattermost", "[a-z0-9]{26}\\b"),
		.yes = {"mattermost=>{{580o" "sbetqb64g7480maf142ezh}}"},
		.no = {"mattermost:m0oz" "s2rlgf07dvir8u2rd6nqq"},
	},
	{
		.id = "matrix-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bsyt_[A-Za-z0-9]{2,80}_[A-Za-z0-9]{20}_[A-Za-z0-9]{6}\\b",
		.yes = {"use {{syt_" "kt_oIeturLdi59A3jpI2SDk_2wEmr6}} now"},
		.no = {"use syt_" "fp_FtS5kZlQfqSYqZv9Mihl_jFq4V now"},
	},
	{
		.id = "twitch-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\boauth:([a-z0-9]{30})\\b",
		.yes = {"use oauth:{{65js" "udmovn0bia8rlvjl2yc9t4e7uu}} now"},
		.no = {"use oauth:0p1c" "hptqv5qmecxvoe94qdam21tyb now"},
	},
	{
		.id = "twitter-bearer",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bA{20,24}[A-Za-z0-9%]{60,}",
		.yes = {"use {{AAAA" "AAAAAAAAAAAAAAAAI9GiKtud1B5xensD1zGMWtUrqNuevg53T1bIbt8R7HArLtMxPLKTlYPvOQ6w}} now"},
		.no = {"use AAAA" "AAAAAAAAAAAAAAAAkmBtdYgBUv3i02%36OT6xbUVqG1012kc8vo0vHiUJOqzYdo2BRAthiylZsq now"},
	},
	{
		.id = "facebook-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bEAA[A-Za-z0-9]{90,}",
		.yes = {"use {{EAAn" "6kplam0dvAWxCJp8WkRjM7Elp02hby23lMfeFEqlYmw9Rv2Lc7ujcy3lG9ZqOyJWcDGKqt8ph92HvMFllHfUcJBmA}} now"},
		.no = {"use EAAE" "Wa0hgciiwMg30WeDsUX7gUGGwoAEHKejJ9VfCkhYLwt9UV3ytx5qieAR771ueVhTVJPnWBQyolnXjHFQt1canrIj now"},
	},
	{
		.id = "linkedin-secret",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("linkedin", "[a-z0-9]{16}\\b"),
		.yes = {"linkedin={{2j6n" "xep75ns4eug0}}"},
		.no = {"linkedin=>9zox" "jn64k78u4qf"},
	},
	{
		.id = "zendesk-token",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("zendesk", "[a-z0-9]{40}\\b"),
		.yes = {"zendesk:{{92qm" "auz446vzs3ajwfuwjanefo4pz3shv8h0s57k}}"},
		.no = {"zendesk=>ot5s" "47ui0s1jjsjokiyj3rzhxa861d1vkc7xoxk"},
	},
	{
		.id = "intercom-token",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("intercom", "[a-z0-9=_-]{60}"),
		.yes = {"intercom=>{{-v5=" "k8ap3y__encd2igkl0h49n=l_x1wo33r9n6q2u-tnl32xs2qsr6-jirh}}"},
		.no = {"intercom=>b4=l" "x-auu6_u3knz6w103-ph-x682th0usjw5mrjrw_9sm=cut7wf5d_qmf"},
	},
	{
		.id = "sendgrid-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bSG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}",
		.yes = {"use {{SG.C_tJs" "I0ektWpfL-ZwsHlEr.QQkVM-ZplRQbaxyJEMij_f_1jekfY-SFtJ8elRkb0QL}} now"},
		.no = {"use SG.jipjb" "0SW5hEFHEaeHUeN1y.nLatJ258aROZmASqfEdPYql634pVV8ycgBGfXGvcU3 now"},
	},
	{
		.id = "mailgun-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bkey-[0-9a-f]{32}\\b",
		.yes = {"use {{key-" "70066d8f55fe68bd6868ea9d7be749e2}} now"},
		.no = {"use key-" "40277aaebba6aff421c750afc395db8 now"},
	},
	{
		.id = "mailchimp-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\b[0-9a-f]{32}-us[0-9]{1,2}\\b",
		.yes = {"use {{e98fd15de32cc613c7777d98b2dcb49d-" "us5}} now"},
		.no = {"use bc048f2df835abeee50746e65cf824c5-" "u now"},
	},
	{
		.id = "brevo-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bxkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}\\b",
		.yes = {"use {{xkey" "sib-89509d1364ba7e4e2d2b6b164ee07fc5d433bece82e2d91250584a7ef495fa34-9FAYUfsovag64hrL}} now"},
		.no = {"use xkey" "sib-8b36dd10d7e5308a7f6fe2a85c57c339545f088a35bbb46fab46bb9d5810fbf2-aYjDzpYCEYKbCve now"},
	},
	{
		.id = "postmark-token",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("postmark", UUID),
		.yes = {"postmark=>{{1532" "4bb2-1397-099f-cb5c-cdf2e5e6ad60}}"},
		.no = {"postmark:9a64" "94ce-11e3-f782-f222-9f4fbbf5c21"},
	},
	{
		.id = "resend-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\\b",
		.yes = {"use {{re_n" "DCyBclH_lHTy4MBwuVxx5nONXfhiJymX}} now"},
		.no = {"use re_i" "EF6TSgl_CXhCTmoXn6NQSKeoRTQcTtP now"},
	},
	{
		.id = "twilio-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bSK[0-9a-f]{32}\\b",
		.yes = {"use {{SKe5" "d23bef6b0bacb901c63202c15cbf60}} now"},
		.no = {"use SKdc" "840158ed0af475dd4d1cd759e171a now"},
	},
	{
		.id = "twilio-auth-token",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("twilio", "[0-9a-f]{32}\\b"),
		.yes = {"twilio=>{{2a32" "ef2114376f5cbbd96554e30377a0}}"},
		.no = {"twilio:3f84" "9038a6263de9f7ca1cc4a09749f"},
	},
	{
		.id = "messagebird-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("message_?bird", "[a-z0-9]{25}\\b"),
		.yes = {"messagebird=>{{fbh8" "rgzydccqx2x4i480ix2o1}}"},
		.no = {"messagebird:=8sb5" "obhlhayhrc2oqenl7wnb"},
	},
	{
		.id = "vonage-secret",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("(?:vonage|nexmo)", "[a-z0-9]{16}\\b"),
		.yes = {"nexmo=>{{65m8" "3oe39yt9j8yv}}"},
		.no = {"vonage:guqm" "xr7zb896uz2"},
	},
};
/* clang-format on */

const struct redact_rules rules_chat = {rows, ARRAY_LEN(rows)};
