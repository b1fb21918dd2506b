/* SPDX-License-Identifier: Apache-2.0 */
/* problem.h - what is wrong with a request, as RFC 9457 has it. */
#ifndef SERVE_API_PROBLEM_H
#define SERVE_API_PROBLEM_H

#include "base/buf.h"
#include "base/error.h"

enum problem {
	PROBLEM_NONE = 0,
	PROBLEM_BAD_REQUEST,
	PROBLEM_UNAUTHORIZED,
	PROBLEM_FORBIDDEN,
	PROBLEM_NOT_FOUND,
	PROBLEM_METHOD_NOT_ALLOWED,
	PROBLEM_NOT_ACCEPTABLE,
	PROBLEM_CONFLICT,
	PROBLEM_GONE,
	PROBLEM_TOO_LARGE,
	PROBLEM_UNSUPPORTED_MEDIA_TYPE,
	PROBLEM_RANGE,
	PROBLEM_MISDIRECTED,
	PROBLEM_UNPROCESSABLE,
	PROBLEM_TOO_MANY_REQUESTS,
	PROBLEM_INTERNAL,
	PROBLEM_OVERLOADED,
	PROBLEM_UNAVAILABLE,
	PROBLEM_DRAINING,
	PROBLEM_TIMEOUT,
	PROBLEM_COUNT
};

int problem_status(enum problem p);
const char *problem_code(enum problem p);
const char *problem_title(enum problem p);
/* The object; instance: the path that was asked for. */
int problem_write(enum problem p, const char *detail, const char *instance, const char *request_id,
		  struct buf *out, struct error *err);

#endif
