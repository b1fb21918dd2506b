/* SPDX-License-Identifier: Apache-2.0 */
/* logword.h - one record of a command's own, into the log. */
#ifndef CLI_LOGWORD_H
#define CLI_LOGWORD_H

#include "audit/announce.h"
#include "audit/record.h"

/* key NULL: always; else: unless this scribe has written one with that key.  It is on the disk when
 * this comes back.  directory, state: as in struct audit_config; may be NULL. */
int logword_write(const char *directory, const char *state, const char *key, const struct record *r,
		  struct error *err);

#endif
