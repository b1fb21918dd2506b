/* SPDX-License-Identifier: Apache-2.0 */
/* etcshared.h - one made-up /etc on the host, which every box lays its own overlay over. */
#ifndef NATIVE_ETCSHARED_H
#define NATIVE_ETCSHARED_H

#include "sandbox/native/plan.h"

/* Its name in plan->etc_path, which is laid over /usr, and so in the box's /usr. */
#define ETCSHARED_NAME ".belljar-etc"

/* As the host's root, before the launcher is born.  Fills in plan->etc and plan->etc_path, or
 * leaves them -1 and empty: then the box has files of its own, which do as well and take more
 * memory. */
void etcshared_find(struct plan *plan);

#endif
