/* SPDX-License-Identifier: Apache-2.0 */
/* keeperlink.h - the socket of one keeper: tasks go out, cancellations never get lost. */
#ifndef SERVE_API_KEEPERLINK_H
#define SERVE_API_KEEPERLINK_H

#include "serve/api/pool.h"

/* k gets fd and a place in the loop; after an error fd is still the caller's. */
int keeperlink_open(struct pool *p, struct keeper *k, int fd, loop_ready *ready, struct error *err);
/* err.sys is EAGAIN if the keeper does not read just now. */
int keeperlink_send(struct keeper *k, struct task *t, struct error *err);
/* Sends what cancellations are still to be sent; those that do not go now go when there is room. */
void keeperlink_flush(struct keeper *k);
/* Something for its session may come.  Nothing waits for that. */
void keeperlink_stir(struct keeper *k);
struct task *keeperlink_task(const struct keeper *k, uint64_t serial);

#endif
