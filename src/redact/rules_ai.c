/* SPDX-License-Identifier: Apache-2.0 */
/* rules_ai.c - what opens models and the stores of their data.
 *
 * Patterns from the formats that their makers published.  Examples are made up, and written in
 * two halves, so that nobody's scanner takes them for real ones.
 */
#include "base/own.h"
#include "redact/redact_rule.h"

/* clang-format off */
static const struct redact_rule rows[] = {
	{
		.id = "anthropic-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bsk-ant-[A-Za-z0-9_-]{20,}",
		.begins = "sk-ant-",
		.yes = {"use {{sk-a" "nt-ppemSJWNUNB4h7ctAJ7x}} now"},
		.no = {"use sk-a" "nt-eS7CRUL2MFEGgRtgfHw now"},
	},
	{
		.id = "openrouter-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bsk-or-v1-[0-9a-f]{64}\\b",
		.begins = "sk-or-v1-",
		.yes = {"use {{sk-o" "r-v1-5dfc9aab5a2fbe9616d8e05bc89a8656c91b641db84bec4e065432223dd8ed91}} now"},
		.no = {"use sk-o" "r-v1-b16eb46cbefb15a5a70e1e51ed3a21fdb82b0fde1e7e6d80b9e4781559c6176 now"},
	},
	{
		.id = "openai-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bsk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40,}",
		.begins = "sk-None- sk-admin- sk-proj- sk-svcacct-",
		.yes = {"use {{sk-a" "dmin-AiIhHOaZsefUojI4dgcbq3RpMiwFLndauyWLvCAV}} now"},
		.no = {"use sk-a" "dmin-Wob6JZ9FxYkC_IjO3wIBVYqOCnAADY-O2GbAWp0 now"},
	},
	{
		.id = "openai-legacy-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bsk-[A-Za-z0-9]{32,}",
		.begins = "sk-",
		.yes = {"use {{sk-g" "oFikEMtuOeLHOfiPewFJx7REY25JIlI}} now"},
		.no = {"use sk-W" "YZpHjIu09Vg5MrBVQuwsWpS8JFfMTu now", "the class is sk-spinner-double-bounce-child-element-one"},
	},
	{
		.id = "huggingface-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\b(?:hf|api_org)_[A-Za-z0-9]{34}\\b",
		.begins = "api_org_ hf_",
		.yes = {"use {{hf_s" "GkQMcPGZbkKgzeANl1QorwXbEqn4qDNII}} now"},
		.no = {"use hf_8" "DoBG71MG0xe0kHLY80hsD7ndqjM0eMQk now"},
	},
	{
		.id = "replicate-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\br8_[A-Za-z0-9]{37}\\b",
		.begins = "r8_",
		.yes = {"use {{r8_K" "lXAEMKHFaFED8kkdrYsckbvsXewJa7b2RaAF}} now"},
		.no = {"use r8_x" "n8izckIsHOHSqAhlWIUX0OBhaA2QY9W05Ci now"},
	},
	{
		.id = "cohere-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("cohere", "[a-z0-9]{40}\\b"),
		.yes = {"cohere=>{{rmly" "ea40v2h4f5bt87l1kur73avxv6xbv96p3d6e}}"},
		.no = {"cohere=eorj" "ewoazv0m18wdsjtstki7w6tjb94vdol2mes"},
	},
	{
		.id = "groq-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bgsk_[A-Za-z0-9]{52}\\b",
		.begins = "gsk_",
		.yes = {"use {{gsk_" "c95mqXGCnB1ZThcJmYK2rFohOm8KMc4EBAf8zJ7AeR54UEHIejM3}} now"},
		.no = {"use gsk_" "PboBrcOqKmHTfOrbefkWTx9i9XlqjX5RKH7VExQkjLE2CmTeVbS now"},
	},
	{
		.id = "perplexity-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bpplx-[A-Za-z0-9]{40,}",
		.begins = "pplx-",
		.yes = {"use {{pplx" "-I7BwvUOeMTjWVzRCI15rTd8uOR5Uhiy1puyCuSQ8}} now"},
		.no = {"use pplx" "-sJIm3EH4xpLJsBrASZK77eCTbcU75PuVFQdQbBe now"},
	},
	{
		.id = "xai-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bxai-[A-Za-z0-9]{70,}",
		.begins = "xai-",
		.yes = {"use {{xai-" "fgNAucTMx2OLQfYqH1iqRUXkMtOHjam4ImRsV8QyGxMa5gG31jIV8a7Uth85z7YLnsa6Tr}} now"},
		.no = {"use xai-" "Xw9ghJkvilU5dDYwi1v5hZzK7pDiMF5r3DrOpC3Wm7Y5MT3qntvoVUfuOQtigt1akCI5a now"},
	},
	{
		.id = "mistral-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("mistral", "[a-z0-9]{32}\\b"),
		.yes = {"mistral:={{qf5e" "f8obbs3gjnqz6e5biena26fefesm}}"},
		.no = {"mistral:aloa" "s52d62hlsfd62e3wezlpg8q8mry"},
	},
	{
		.id = "deepgram-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("deepgram", "[0-9a-f]{40}\\b"),
		.yes = {"deepgram:={{53a7" "7719f1f115a3e7f199581a793b83eefd410e}}"},
		.no = {"deepgram:=4ccb" "b46b70168c3761aae62f7c39f2936caeeca"},
	},
	{
		.id = "elevenlabs-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bsk_[0-9a-f]{48}\\b",
		.begins = "sk_",
		.yes = {"use {{sk_2" "718e4ff2e2a3114550a8f49ab1784cad923faaba635c099}} now"},
		.no = {"use sk_c" "e94abf4ef40abdfe752916eaeec636a9b45e82ed767578 now"},
	},
	{
		.id = "fireworks-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bfw_[A-Za-z0-9]{22,}",
		.begins = "fw_",
		.yes = {"use {{fw_e" "xuX5o8Ly7N4LvCrOmiyBc}} now"},
		.no = {"use fw_G" "AwlfJL3ws4HvRzbh2VH4 now"},
	},
	{
		.id = "langsmith-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}\\b",
		.begins = "lsv2_pt_ lsv2_sk_",
		.yes = {"use {{lsv2" "_sk_252b8f68cb60d1946e7c336d9a9c4b17_40f35a857f}} now"},
		.no = {"use lsv2" "_sk_cb39ed4a2f151b836f9cb656d0ef2e50_e860954ab now"},
	},
	{
		.id = "wandb-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("(?:wandb|weights_?and_?biases)", "[0-9a-f]{40}\\b"),
		.yes = {"wandb:{{cf9b" "e279f1a67e5110973d20dce9df067485bf19}}"},
		.no = {"weightsandbiases=>1549" "3ed46d128e55abf3ed7165ef71c46b46012"},
	},
	{
		.id = "nvidia-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bnvapi-[A-Za-z0-9_-]{60,}",
		.begins = "nvapi-",
		.yes = {"use {{nvap" "i-Ll4AU2zX8NylkKWhDh4i6-g5oICrwe5wb0hsoKC5icnmgOFRfaKvXeunjG2W}} now"},
		.no = {"use nvap" "i-jX1vLUoRNMQzrbLwEiPE1zGOmWcpU8XSLlzQv9DELjgjAXC2LIsLZ5DMeUq now"},
	},
	{
		.id = "tavily-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\btvly-[A-Za-z0-9-]{20,}",
		.begins = "tvly-",
		.yes = {"use {{tvly" "-tN9Jxo7cNNSEdEBk5yB6}} now"},
		.no = {"use tvly" "-pjJemInkOaSvvLGauw3 now"},
	},
	{
		.id = "pinecone-key",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bpcsk_[A-Za-z0-9_]{50,}",
		.begins = "pcsk_",
		.yes = {"use {{pcsk" "_Fbxo6LYGnOHNNVLe4hQ946BJ8m5OSlACNg0F8Z9LicNu7WiskG}} now"},
		.no = {"use pcsk" "_4ipceoWTtxkap1nCsm8QUGIqqv3S78LJTQv4iaATGKw5SwU_h now"},
	},
	{
		.id = "together-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("together", "[0-9a-f]{64}\\b"),
		.yes = {"together:{{6a2e" "c56427ef551f5d5956ce70c4bb7f25f4f79583d32f4bf01bc6dda930b574}}"},
		.no = {"together:=4bd4" "a1a4b599abf3ee8d4f92af3be328b95ce00b6f900a4ac6c6ab72a0ea962"},
	},
	{
		.id = "assemblyai-key",
		.group = REDACT_CREDENTIAL,
		.pattern = NEAR("assembly_?ai", "[0-9a-f]{32}\\b"),
		.yes = {"assemblyai:={{0cb4" "bb692fb75f79ecf7d1e95ad7439d}}"},
		.no = {"assemblyai=>e522" "c7be839f7570f42e69489310ef8"},
	},
	{
		.id = "databricks-token",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bdapi[0-9a-f]{32}(?:-[0-9])?\\b",
		.begins = "dapi",
		.yes = {"use {{dapi" "c1b2370d7e2ffc69d00f35f889404fae}} now"},
		.no = {"use dapi" "8c8ab86f282b9c6143464e9c29ffbc4 now"},
	},
};
/* clang-format on */

const struct redact_rules rules_ai = {rows, ARRAY_LEN(rows)};
