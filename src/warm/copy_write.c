/* SPDX-License-Identifier: Apache-2.0 */
/* copy_write.c - writes the process that calls it, so that another can become it.
 *
 * The caller is a child that was forked for this: its memory is the moment
 * that is copied, it has one thread, and it ends here.
 */
#include <sys/mman.h>

#include "warm/copy_calls.h"
#include "warm/copy_restore.h"
#include "warm/copy_work.h"

enum { RUNS_AT_ONCE = 1024 }; /* the kernel takes no more */

/* glibc's: where it believes that the heap ends. */
extern void *__curbrk __attribute__((weak));

extern struct copy_woken copy_point(uint64_t *ret_sp, void (*write)(struct copy_work *),
				    struct copy_work *w);
extern const char copy_point_woken[];

/* Everything that the caller of copy_point() needs afterwards is on its stack, beneath ret_sp: that
 * is all of the processor that an image must carry. */
__asm__(".pushsection .text\n"
	".globl copy_point, copy_point_woken\n"
	".hidden copy_point, copy_point_woken\n"
	".type copy_point, @function\n"
	"copy_point:\n\t"
	"endbr64\n\t"
	"push %rbp\n\t"
	"push %rbx\n\t"
	"push %r12\n\t"
	"push %r13\n\t"
	"push %r14\n\t"
	"push %r15\n\t"
	"sub $8, %rsp\n\t"
	"mov %rsp, (%rdi)\n\t"
	"mov %rdx, %rdi\n\t"
	"call *%rsi\n\t"
	"xor %eax, %eax\n\t"
	"xor %edx, %edx\n"
	"copy_point_woken:\n\t" /* rax, rdx: struct copy_woken */
	"endbr64\n\t"
	"add $8, %rsp\n\t"
	"pop %r15\n\t"
	"pop %r14\n\t"
	"pop %r13\n\t"
	"pop %r12\n\t"
	"pop %rbx\n\t"
	"pop %rbp\n\t"
	"ret\n\t"
	".size copy_point, . - copy_point\n"
	".popsection\n");

static bool write_contents(struct copy_work *w)
{
	struct iovec *at = w->runs, *end = w->runs + w->head.n_runs;

	while (at < end) {
		long n = CALL3(SYS_writev, w->stream, at,
			       end - at < RUNS_AT_ONCE ? end - at : RUNS_AT_ONCE);

		if (n == -4) /* EINTR */
			continue;
		if (n <= 0)
			return copy_refuse_number(w, "its memory cannot be written", n);
		for (; at < end && (size_t)n >= at->iov_len; at++)
			n -= (long)at->iov_len;
		if (at < end) {
			at->iov_base = (char *)at->iov_base + n;
			at->iov_len -= (size_t)n;
		}
	}
	return true;
}

static bool write_tables(struct copy_work *w)
{
	const struct copy_head *h = &w->head;

	return (copy_write_all(w->stream, h, sizeof(*h)) &&
		copy_write_all(w->stream, w->maps, h->n_maps * sizeof(*w->maps)) &&
		copy_write_all(w->stream, w->files, h->n_files * sizeof(*w->files)) &&
		copy_write_all(w->stream, w->runs, h->n_runs * sizeof(*w->runs)) &&
		copy_write_all(w->stream, w->guards, h->n_guards * sizeof(*w->guards)) &&
		copy_write_all(w->stream, w->texts, h->texts_len)) ||
	       copy_refuse(w, "nobody reads the image", NULL);
}

static bool put_tables(struct copy_work *w)
{
	const struct copy_head *h = &w->head;

	return copy_put(w, h, sizeof(*h)) && copy_put(w, w->laid, h->n_maps * sizeof(*w->laid)) &&
	       copy_put(w, w->files, h->n_files * sizeof(*w->files)) &&
	       copy_put(w, w->guards, h->n_guards * sizeof(*w->guards)) &&
	       copy_put(w, w->texts, h->texts_len);
}

static bool take_all(struct copy_work *w)
{
	return copy_take_state(w) && copy_take_files(w) && copy_take_maps(w);
}

bool copy_check(struct copy_work *w)
{
	w->only_looks = true;
	return take_all(w);
}

/* The heap of this process is another's place; glibc would take the kernel's refusal to extend it
 * for a success if the kernel's idea of the heap lies above it.  From so far up it cannot ask: it
 * then maps memory instead. */
static void forget_heap(void)
{
	void *far = (void *)(uintptr_t)(UINTPTR_MAX - COPY_PAGE + 1);

	/* Who became a template has it so, and need not write there. */
	if (&__curbrk && __curbrk != far)
		__curbrk = far;
}

static void write_image(struct copy_work *w)
{
	w->head.magic = COPY_MAGIC;
	w->head.version = COPY_VERSION;
	w->head.head_len = sizeof(w->head);
	w->head.pc = (uint64_t)(uintptr_t)copy_point_woken;
	if (!take_all(w))
		return;
	if (w->at)
		forget_heap(); /* this process ends here */
	if (w->at ? copy_lay(w) && put_tables(w) : write_tables(w) && write_contents(w))
		(void)CALL1(SYS_exit_group, 0);
}

/* The hole goes with the rest of the process that was here. */
static void take_left(const struct copy_plan *p, struct copy_left *ret)
{
	uint64_t start = p->hole, len = p->hole_len;
	long at = -1;

	*ret = (struct copy_left){.view = p->view, .view_len = p->view_len};
	if (p->env_len)
		at = copy_mmap(0, p->env_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			       -1, 0);
	if (!copy_failed(at)) {
		ret->env = (char *)at;
		ret->env_len = p->env_len;
		copy_bytes(ret->env, p->env, p->env_len);
	}
	(void)CALL2(SYS_munmap, start, len);
}

void copy_left_free(struct copy_left *l)
{
	if (l->env)
		(void)CALL2(SYS_munmap, l->env, l->env_len);
	l->env = NULL;
	l->env_len = 0;
}

bool copy_write(struct copy_work *w, struct copy_left *ret)
{
	struct copy_woken woken = copy_point(&w->head.sp, write_image, w);

	if (!woken.here)
		return false;
	forget_heap();
	take_left((const struct copy_plan *)woken.plan, ret);
	return true;
}
