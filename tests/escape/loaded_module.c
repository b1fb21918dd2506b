/* SPDX-License-Identifier: Apache-2.0 */
/* loaded_module.c - attacks the list of programs: code that a listed program loads (LD_PRELOAD,
 * a shell's loadable builtin).  Says a word when it is loaded; the runner looks for it. */
#include <unistd.h>

__attribute__((constructor)) static void say_loaded(void)
{
	static const char word[] = "module-was-loaded\n";

	(void)!write(1, word, sizeof(word) - 1);
}
