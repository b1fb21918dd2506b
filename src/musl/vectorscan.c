/* SPDX-License-Identifier: Apache-2.0 */
/* vectorscan.c - chooses among vectorscan's code for several processors, when it is called.
 *
 * Its library has each function once per kind of processor, and one name for all of them that is
 * resolved at the start of a program (an ifunc).  musl resolves none in a static program: the first
 * call would jump to nowhere.  Defined here, the names keep the file with the ifuncs out, and with
 * it the questions that it asks the processor in every run.
 */
#include <hs/hs_runtime.h>

#include "base/processor.h"

/* Not for us to call: hs_alloc_scratch() does. */
hs_error_t dbIsValid(const hs_database_t *db);

/* Newer kinds than these there are, too; what takes time is called by its name (patterns.h). */
#define CHOOSE(name, parameters, arguments)                                                     \
	hs_error_t core2_##name parameters;                                                     \
	hs_error_t corei7_##name parameters;                                                    \
	hs_error_t name parameters                                                              \
	{                                                                                       \
		if (processor_has(PROCESSOR_SSE42 | PROCESSOR_POPCNT))                          \
			return corei7_##name arguments;                                         \
		return processor_has(PROCESSOR_SSSE3) ? core2_##name arguments : HS_ARCH_ERROR; \
	}

CHOOSE(dbIsValid, (const hs_database_t *db), (db))
CHOOSE(hs_free_database, (hs_database_t * db), (db))
CHOOSE(hs_deserialize_database, (const char *bytes, const size_t len, hs_database_t **ret),
       (bytes, len, ret))
/* NOLINTNEXTLINE(readability-function-size): vectorscan's */
CHOOSE(hs_scan,
       (const hs_database_t *db, const char *data, unsigned len, unsigned flags,
	hs_scratch_t *scratch, match_event_handler hit, void *context),
       (db, data, len, flags, scratch, hit, context))
