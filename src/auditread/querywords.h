/* SPDX-License-Identifier: Apache-2.0 */
/* querywords.h - words of a query: those that no record can have are refused, with those it can. */
#ifndef AUDITREAD_QUERYWORDS_H
#define AUDITREAD_QUERYWORDS_H

#include "audit/record.h"

int query_check_status(const char *word, struct error *err);
int query_check_decision(const char *word, struct error *err);
int query_check_kind(const char *word, struct error *err);

#endif
