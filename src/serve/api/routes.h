/* SPDX-License-Identifier: Apache-2.0 */
/* routes.h - every path of the API: one table for serving it and for describing it. */
#ifndef SERVE_API_ROUTES_H
#define SERVE_API_ROUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serve/http/http.h"

/* Who does it. */
enum route_to {
	TO_NOBODY = 0,
	TO_POOL,     /* a keeper, for this one request */
	TO_OPEN,     /* a keeper that becomes a session's */
	TO_SESSION,  /* the keeper of the session in the path */
	TO_FORK,     /* the same, and then another for its copy */
	TO_READER,   /* the reader of the log */
	TO_CALLS,    /* the book of calls */
	TO_SESSIONS, /* the table of sessions */
	TO_SELF,     /* the front knows it */
};

/* Which of them, where the kind of message does not say. */
enum route_does {
	DOES_ASK = 0, /* what keep or read says */
	DOES_HEALTH,
	DOES_READY,
	DOES_VERSION,
	DOES_METRICS,
	DOES_OPENAPI,
	DOES_RELOAD,
	DOES_LIST,
	DOES_SHOW,
	DOES_OUTPUT,
	DOES_CANCEL,
};

enum route_flag {
	ROUTE_OPEN = 1,        /* nobody needs to say who they are */
	ROUTE_STREAMS = 2,     /* Accept may ask for events */
	ROUTE_ONCE = 4,        /* Idempotency-Key counts */
	ROUTE_BYTES = 8,       /* the body is bytes of any type */
	ROUTE_RUNS = 16,       /* counts against max_concurrent; is in the book of calls */
	ROUTE_TOOL_SHAPE = 32, /* the answer has the face of a tool call */
	ROUTE_EMPTY = 64,      /* a body is not wanted */
	ROUTE_RANGE = 128,     /* Range counts */
};

struct route {
	enum http_method method;
	const char *pattern; /* {name} is one segment, {name...} at the end is all the rest */
	uint32_t scopes;     /* MAY_...: one of these; 0: any client (or ROUTE_OPEN) */
	uint32_t flags;
	enum route_to to;
	enum route_does does;
	uint32_t keep;    /* enum keep_ask */
	uint32_t read;    /* enum read_ask */
	const char *body; /* names of objects (api/); NULL: none */
	const char *answer;
	int status;        /* when all goes well */
	const char *name;  /* operationId */
	const char *query; /* parameters of the query, separated by spaces; NULL: none */
	const char *summary;
};

enum { ROUTE_PARAMS = 2, ROUTE_PARAM_ROOM = 1024 };

/* What stood in the place of {name}; borrowed from the path. */
struct route_param {
	const char *text;
	size_t len;
};

struct route_match {
	const struct route *route; /* NULL: none with this method */
	uint32_t methods;          /* bits of the methods that this path has */
	struct route_param params[ROUTE_PARAMS];
};

/* HEAD finds the row of GET. */
void routes_find(enum http_method method, const char *path, struct route_match *ret);
/* "GET, HEAD, POST" */
void routes_allow(uint32_t methods, char *ret, size_t room);
const struct route *routes_all(size_t *ret_n);
/* The place of a row in the table, for counters. */
size_t routes_place(const struct route *r);
const char *routes_method_name(enum http_method m);

#endif
