/* SPDX-License-Identifier: Apache-2.0 */
/* apirows.h - the two lists of objects: what may be sent, what is answered. */
#ifndef API_APIROWS_H
#define API_APIROWS_H

#include "api/apitable.h"

extern const struct api_object api_requests[];
extern const size_t api_request_count;
extern const struct api_object api_answers[];
extern const size_t api_answer_count;

#endif
