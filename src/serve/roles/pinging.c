/* SPDX-License-Identifier: Apache-2.0 */
/* pinging.c - the warden is asked every second whether it hears; one that does not is said to be
 * missing.
 *
 * It may be stopped, or stand in the kernel, and then its end does not tell.
 * Counted is how often we looked in vain, not the time: if the whole machine
 * was stopped for an hour, that is one look.  It is not ended for it: boxes that
 * are there go on without it, and would end with it.
 */
#include "lib/wardentalk.h"
#include "serve/roles/supervise.h"

bool pinging_is_silent(const struct single *one)
{
	return one->unheard >= PINGS_MAX;
}

static void look_later(struct single *one)
{
	struct loop *l = one->all->loop;
	struct error err;

	if (loop_set(l, &one->ping, loop_now_us(l) + PING_MS * UINT64_C(1000), &err) < 0)
		supervisor_say("nobody looks whether the %s hears any more: %s",
			       single_name(one->which), err.text);
}

/* Where there is no room for the question, those before were not read. */
void pinging_look(void *context)
{
	struct single *one = context;
	struct error err;
	bool was_silent = pinging_is_silent(one);

	if (one->pinged || warden_control_ping(one->control, &err) < 0)
		one->unheard += !was_silent;
	else
		one->pinged = true;
	if (pinging_is_silent(one) && !was_silent) {
		supervisor_say("the %s does not answer; /readyz says so until it does",
			       single_name(one->which));
		singles_tell_state(one->all);
	}
	look_later(one);
}

void pinging_start(struct single *one)
{
	if (!one->ping.place)
		look_later(one);
}

void pinging_end(struct single *one)
{
	loop_unset(one->all->loop, &one->ping);
	one->pinged = false;
	one->unheard = 0;
}

void pinging_heard(struct single *one)
{
	bool was_silent = pinging_is_silent(one);

	one->pinged = false;
	one->unheard = 0;
	if (!was_silent)
		return;
	supervisor_say("the %s answers again", single_name(one->which));
	keepers_pump(one->all);
	singles_tell_state(one->all);
}
