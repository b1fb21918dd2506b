/* SPDX-License-Identifier: Apache-2.0 */
/* check_log.c - check_log DIR: is that log what was signed, and does every call have its end? */
#include <stdio.h>

#include "audit/verify.h"

int main(int argc, char **argv)
{
	static struct verify_report report;
	const struct verify_options options = {0};
	struct error err = {0};

	if (argc != 2 || verify_log(argv[1], &options, &report, &err) < 0) {
		printf("not looked at: %s\n", err.text);
		return 1;
	}
	for (size_t i = 0; i < report.findings && i < VERIFY_FINDINGS_MAX; i++)
		printf("%s at %lld: %s\n", finding_kind_name(report.list[i].kind),
		       (long long)report.list[i].index, report.list[i].text);
	printf("%llu records, %llu signed, %llu open\n", (unsigned long long)report.records,
	       (unsigned long long)report.signed_records, (unsigned long long)report.open);
	return report.findings || report.open || report.signed_records != report.records;
}
