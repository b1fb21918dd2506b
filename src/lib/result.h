/* SPDX-License-Identifier: Apache-2.0 */
/* result.h - an account becomes what belljar.h shows of it. */
#ifndef LIB_RESULT_H
#define LIB_RESULT_H

#include "base/error.h"
#include "belljar.h"
#include "call/call.h"

/* The account is the result's afterwards, or ended if there is no memory for one. */
int result_new(struct account *account, struct bj_result **ret, struct error *err);

#endif
