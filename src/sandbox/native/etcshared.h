/* SPDX-License-Identifier: Apache-2.0 */
/* etcshared.h - one made-up /etc on the host, which every box lays its own overlay over. */
#ifndef NATIVE_ETCSHARED_H
#define NATIVE_ETCSHARED_H

#include "base/error.h"
#include "sandbox/native/plan.h"

/* Its name in plan->etc_path, which is laid over /usr, and so in the box's /usr. */
#define ETCSHARED_NAME ".belljar-etc"

/* As the host's root, before the launcher hears that it is mapped.  Fills in plan->etc and
 * etc_path, or leaves them -1 and empty, where the box has something of its own in /etc or what
 * lies in the shared place may be somebody else's: then it has files of its own, which take more
 * memory. */
int etcshared_find(struct plan *plan, struct error *err);

#endif
