/* SPDX-License-Identifier: Apache-2.0 */
/* rules_payment.c - what moves money or goods.
 *
 * Patterns from the formats that their makers published.  Examples are made up, and written in
 * two halves, so that nobody's scanner takes them for real ones.
 */
#include "base/own.h"
#include "redact/redact_rule.h"

/* clang-format off */
static const struct redact_rule rows[] = {
	{
		.id = "stripe-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\b[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,}",
		.begins = "rk_live_ rk_prod_ rk_test_ sk_live_ sk_prod_ sk_test_",
		.yes = {"use {{sk_pro" "d_CdJYKaifZKbTG7qO}} now"},
		.no = {"use rk_liv" "e_TZaZZlhx8qRiL2j now", "use pk_live_abcdefghijklmnop in the browser"},
	},
	{
		.id = "stripe-webhook-secret",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bwhsec_[A-Za-z0-9+/=]{32,}",
		.begins = "whsec_",
		.yes = {"use {{whse" "c_yD20dOWtCFkda7VIiuJfsx8RS1S97VPM}} now"},
		.no = {"use whse" "c_dDhpGrgio+y5X8Y2/fUaYtf==KhPCby now"},
	},
	{
		.id = "square-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bEAAA[A-Za-z0-9_-]{60}",
		.begins = "EAAA",
		.yes = {"use {{EAAA" "e5S8AJl6wgDJWVUUwYRajbbX4VnIBhKXWfWRHMwFQ67oYZPVvdRc9OhI19Tc}} now"},
		.no = {"use EAAA" "f7rXUmhsVjPe7vujfWmFMxsokqgBOTYcQF5YD8zZmA-eD6WjfatesYefHr- now"},
	},
	{
		.id = "square-secret",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bsq0(?:atp|csp)-[A-Za-z0-9_-]{22,}",
		.begins = "sq0atp- sq0csp-",
		.yes = {"use {{sq0a" "tp-TdtYUsGnGjJKQDTrGX2S8z}} now"},
		.no = {"use sq0c" "sp-Oo0-z_v_8ps9PEsLnInYn now"},
	},
	{
		.id = "braintree-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\baccess_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}\\b",
		.begins = "access_token",
		.yes = {"use {{access_token$" "sandbox$8vdmzu01ssaddwbm$42c0bb7125b1da7a75c3fde51e00ee0a}} now"},
		.no = {"use access_token$" "sandbox$o06mt3rtxfa8nr66$783db8aa063cd134d3f8d8eb5d504ba now"},
	},
	{
		.id = "paypal-secret",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("paypal", "E[a-z0-9_-]{79,}"),
		.yes = {"paypal=>{{Ess-" "ueaasrdm16-5yurfwkx9aodpv8kkc4c5fjzor2ujcgx1yv31cqd_xu4ad5bgx8qrpi44pgxbdm_j}}"},
		.no = {"paypal:=Enoc" "a5ik_iabuien6ls-4059hzjv2o86fy1o7q_az6yeal0rynbxa8mc1q0mmnxwi_elesahflhfm38"},
	},
	{
		.id = "shopify-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bshp(?:at|ca|pa|ss|ua|tka)_[0-9a-fA-F]{32}\\b",
		.begins = "shpat_ shpca_ shppa_ shpss_ shptka_ shpua_",
		.yes = {"use {{shpp" "a_44Bc39e1aFAac53D62aD8E59c72B86E0}} now"},
		.no = {"use shpa" "t_67C64f664f1dfFd35dFfBa52419BF6E now"},
	},
	{
		.id = "plaid-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\baccess-(?:sandbox|development|production)-" UUID "\\b",
		.begins = "access-devel access-produ access-sandb",
		.yes = {"use {{acce" "ss-production-c76bd8ad-9977-4dbf-0cc4-9039ea045bff}} now"},
		.no = {"use acce" "ss-development-28bfaa9f-f941-f20b-1b31-b9a1d4799fc now"},
	},
	{
		.id = "razorpay-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\brzp_(?:live|test)_[A-Za-z0-9]{14}\\b",
		.begins = "rzp_live_ rzp_test_",
		.yes = {"use {{rzp_" "test_jRSN3Oi9TWOhj1}} now"},
		.no = {"use rzp_" "test_2yIAsyStYFizM now"},
	},
	{
		.id = "flutterwave-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bFLWSECK(?:_TEST)?-[0-9a-zA-Z]{12,}",
		.begins = "FLWSECK- FLWSECK_TEST",
		.yes = {"use {{FLWS" "ECK-dLS9yockaUTC}} now"},
		.no = {"use FLWS" "ECK-KRFUG7V6Teh now"},
	},
	{
		.id = "easypost-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bEZ[AT]K[A-Za-z0-9]{54}\\b",
		.begins = "EZAK EZTK",
		.yes = {"use {{EZAK" "RHLT8QVbg2x8jLmi2QXQE7VyOeaRDlGMctPPqc5OQWr15LngUczY1a}} now"},
		.no = {"use EZAK" "Eu6ffZUuOOIUfiMmAVKlX8cLZXrHuG2DVU59Sy3yuiPUOfAlwf19u now"},
	},
	{
		.id = "mollie-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\b(?:live|test)_[A-Za-z0-9]{30}\\b",
		.begins = "live_ test_",
		.yes = {"use {{live" "_rtK1vHd9A0H0vTsD0FJvNpD5EUthiE}} now"},
		.no = {"use test" "_FHSFU2etEX3x2267rKWYruNWntmbw now"},
	},
	{
		.id = "gocardless-token",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("gocardless", "live_[a-z0-9_-]{40,}"),
		.yes = {"gocardless:{{live" "_-l158msubl4-wvwus9tocrcjrb7wpik61an2wexu}}"},
		.no = {"gocardless:=live" "_1xyz51_vkns559zlr9_84f1l8aqk1h_4-n9diy_"},
	},
	{
		.id = "adyen-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bAQE[A-Za-z0-9]{2}[A-Za-z0-9+/=-]{80,}",
		.begins = "AQE",
		.yes = {"use {{AQEm" "ek5Uvhveo+S=nWpb4kvxaR4ozqR1XDUDbnZNbAOzoWsgvjFimwZGlOsc8ZDart5Nx2/fysEv/d+IHz=rJ}} now"},
		.no = {"use AQE2" "4OtYlcwF=5Qf6439cjBXdOr7PELRWKncSquwLBqvaZBZ6uv2E4b-sRu05xyktp6nsytyyl0PgA=+I8UR now"},
	},
	{
		.id = "coinbase-secret",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("coinbase", "[a-z0-9_-]{64,}"),
		.yes = {"coinbase:{{32_y" "0wzyp42mt7yjkcjj4m63q3jdhykmu20tngyaadhvhifmsdkevwk0_qrbc3qu}}"},
		.no = {"coinbase=wyxj" "h530177wih1xdbvddvad9zul0p1nhoyo9upa07wwq-j8ttxkwgt5_sri2sr"},
	},
	{
		.id = "etsy-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("etsy", "[a-z0-9]{24}\\b"),
		.yes = {"etsy={{l0yh" "g4e5mb01qi35ukgqqadm}}"},
		.no = {"etsy:=qoqz" "9uvci0thjuvuybxj7bi"},
	},
};
/* clang-format on */

const struct redact_rules rules_payment = {rows, ARRAY_LEN(rows)};
