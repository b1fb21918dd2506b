/* SPDX-License-Identifier: Apache-2.0 */
/* auditlog.h - small logs for tests: records that come in pairs, appended one by one. */
#ifndef TESTS_AUDITLOG_H
#define TESTS_AUDITLOG_H

#include <stdio.h>
#include <string.h>

#include "audit/log.h"
#include "audit/record.h"

/* Record i of a log in which each call begins and ends before the next one. */
static inline void auditlog_line(uint64_t i, struct buf *out)
{
	static const char args[] =
		"{\"code\":\"print(\\\"h\303\251llo\\\")\",\"language\":\"python\"}";
	struct error err;
	struct outcome outcome = {.run_us = 1000 + i, .setup_us = 300};
	struct record r = {.time_ms = UINT64_C(1767225600000) + i, .client = "research"};
	char id[40];

	(void)snprintf(id, sizeof(id), "bj-%024llx", (unsigned long long)(i / 2));
	r.id = id;
	r.tool = "execute_code";
	r.kind = i % 2 ? RECORD_FINISHED : RECORD_STARTED;
	if (r.kind == RECORD_STARTED) {
		r.args = args;
		r.args_len = sizeof(args) - 1;
		r.args_inline = true;
		r.decision = "allow";
	} else {
		r.status = "success";
		r.has_exit_code = true;
		r.outcome = &outcome;
	}
	if (record_write(&r, out, &err) < 0) {
		printf("# %s\n", err.text);
		_exit(98);
	}
}

/* Appends records until the log has that many.  -1: err. */
static inline int auditlog_grow(struct log *l, uint64_t size, struct error *err)
{
	struct receipt receipt;
	struct buf line;
	int ret = 0;

	buf_init(&line, RECORD_MAX);
	while (ret == 0 && log_size(l) < size) {
		auditlog_line(log_size(l), &line);
		if (log_append(l, &(struct log_line){line.data, line.len}, 1, &receipt, err) != 1)
			ret = -1;
	}
	buf_done(&line);
	return ret;
}

/* A whole log in dir, closed in order. */
static inline int auditlog_make(const char *dir, uint64_t size, struct error *err)
{
	struct log *l = log_open(dir, "test.example/log", err);
	int ret = l ? auditlog_grow(l, size, err) : -1;

	log_close(l);
	return ret;
}

#endif
