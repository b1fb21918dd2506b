/* SPDX-License-Identifier: Apache-2.0 */
/* run_python.c - runs a piece of Python in a sealed box and says what came of it.
 *
 *     cc run_python.c $(pkg-config --cflags --libs belljar) -o run_python
 *     ./run_python 'print(6 * 7)'
 */
#include <belljar.h>
#include <stdio.h>

/* As an ordinary user on a host without delegated control groups some limits are weaker: here we
 * say that we can live with it. */
static int make_box(struct bj_box *box)
{
	if (bj_box_set(box, "wall", "5s") < 0 || bj_box_set(box, "memory", "128m") < 0)
		return -1;
	return bj_box_set(box, "allow-degraded", "memory,processes,cpu");
}

static void report(const struct bj_result *result)
{
	fwrite(result->out.data, 1, result->out.size, stdout);
	fwrite(result->err.data, 1, result->err.size, stderr);
	printf("[%s", bj_status_name(result->status));
	if (result->killed_for)
		printf(", killed: %s", bj_kill_reason_name(result->killed_for));
	else if (result->exit_code >= 0)
		printf(", exit code %d", result->exit_code);
	printf("; %.1f ms, %.1f MiB]\n", (double)result->run_us / 1e3,
	       (double)result->usage->memory_peak_bytes / (1 << 20));
}

int main(int argc, char **argv)
{
	struct bj_box *box = bj_box_new();
	struct bj_result *result = NULL;
	int failed = 1;

	if (!box) {
		perror("bj_box_new");
		return 1;
	}
	if (make_box(box) < 0 ||
	    bj_run_code(box, "python", argc > 1 ? argv[1] : "print(6 * 7)", NULL, &result) < 0) {
		fprintf(stderr, "%s\n", bj_error(box));
	} else {
		report(result);
		failed = result->status != BJ_SUCCESS;
	}
	bj_result_free(result);
	bj_box_free(box);
	return failed;
}
