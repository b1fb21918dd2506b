/* SPDX-License-Identifier: Apache-2.0 */
/* musl.c - functions of glibc that belljar uses and musl has not, or has otherwise. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"

#define ROW(name) [name] = #name

static const char *const errors[] = {
	ROW(EPERM),
	ROW(ENOENT),
	ROW(ESRCH),
	ROW(EINTR),
	ROW(EIO),
	ROW(ENXIO),
	ROW(E2BIG),
	ROW(ENOEXEC),
	ROW(EBADF),
	ROW(ECHILD),
	ROW(EAGAIN),
	ROW(ENOMEM),
	ROW(EACCES),
	ROW(EFAULT),
	ROW(ENOTBLK),
	ROW(EBUSY),
	ROW(EEXIST),
	ROW(EXDEV),
	ROW(ENODEV),
	ROW(ENOTDIR),
	ROW(EISDIR),
	ROW(EINVAL),
	ROW(ENFILE),
	ROW(EMFILE),
	ROW(ENOTTY),
	ROW(ETXTBSY),
	ROW(EFBIG),
	ROW(ENOSPC),
	ROW(ESPIPE),
	ROW(EROFS),
	ROW(EMLINK),
	ROW(EPIPE),
	ROW(EDOM),
	ROW(ERANGE),
	ROW(EDEADLK),
	ROW(ENAMETOOLONG),
	ROW(ENOLCK),
	ROW(ENOSYS),
	ROW(ENOTEMPTY),
	ROW(ELOOP),
	ROW(ENOMSG),
	ROW(EIDRM),
	ROW(ECHRNG),
	ROW(EL2NSYNC),
	ROW(EL3HLT),
	ROW(EL3RST),
	ROW(ELNRNG),
	ROW(EUNATCH),
	ROW(ENOCSI),
	ROW(EL2HLT),
	ROW(EBADE),
	ROW(EBADR),
	ROW(EXFULL),
	ROW(ENOANO),
	ROW(EBADRQC),
	ROW(EBADSLT),
	ROW(EBFONT),
	ROW(ENOSTR),
	ROW(ENODATA),
	ROW(ETIME),
	ROW(ENOSR),
	ROW(ENONET),
	ROW(ENOPKG),
	ROW(EREMOTE),
	ROW(ENOLINK),
	ROW(EADV),
	ROW(ESRMNT),
	ROW(ECOMM),
	ROW(EPROTO),
	ROW(EMULTIHOP),
	ROW(EDOTDOT),
	ROW(EBADMSG),
	ROW(EOVERFLOW),
	ROW(ENOTUNIQ),
	ROW(EBADFD),
	ROW(EREMCHG),
	ROW(ELIBACC),
	ROW(ELIBBAD),
	ROW(ELIBSCN),
	ROW(ELIBMAX),
	ROW(ELIBEXEC),
	ROW(EILSEQ),
	ROW(ERESTART),
	ROW(ESTRPIPE),
	ROW(EUSERS),
	ROW(ENOTSOCK),
	ROW(EDESTADDRREQ),
	ROW(EMSGSIZE),
	ROW(EPROTOTYPE),
	ROW(ENOPROTOOPT),
	ROW(EPROTONOSUPPORT),
	ROW(ESOCKTNOSUPPORT),
	ROW(ENOTSUP),
	ROW(EPFNOSUPPORT),
	ROW(EAFNOSUPPORT),
	ROW(EADDRINUSE),
	ROW(EADDRNOTAVAIL),
	ROW(ENETDOWN),
	ROW(ENETUNREACH),
	ROW(ENETRESET),
	ROW(ECONNABORTED),
	ROW(ECONNRESET),
	ROW(ENOBUFS),
	ROW(EISCONN),
	ROW(ENOTCONN),
	ROW(ESHUTDOWN),
	ROW(ETOOMANYREFS),
	ROW(ETIMEDOUT),
	ROW(ECONNREFUSED),
	ROW(EHOSTDOWN),
	ROW(EHOSTUNREACH),
	ROW(EALREADY),
	ROW(EINPROGRESS),
	ROW(ESTALE),
	ROW(EUCLEAN),
	ROW(ENOTNAM),
	ROW(ENAVAIL),
	ROW(EISNAM),
	ROW(EREMOTEIO),
	ROW(EDQUOT),
	ROW(ENOMEDIUM),
	ROW(EMEDIUMTYPE),
	ROW(ECANCELED),
	ROW(ENOKEY),
	ROW(EKEYEXPIRED),
	ROW(EKEYREVOKED),
	ROW(EKEYREJECTED),
	ROW(EOWNERDEAD),
	ROW(ENOTRECOVERABLE),
	ROW(ERFKILL),
	ROW(EHWPOISON),
};

#undef ROW
#define ROW(name) [SIG##name] = #name

static const char *const signals[] = {
	ROW(HUP),  ROW(INT),    ROW(QUIT), ROW(ILL),   ROW(TRAP), ROW(ABRT), ROW(BUS),  ROW(FPE),
	ROW(KILL), ROW(USR1),   ROW(SEGV), ROW(USR2),  ROW(PIPE), ROW(ALRM), ROW(TERM), ROW(STKFLT),
	ROW(CHLD), ROW(CONT),   ROW(STOP), ROW(TSTP),  ROW(TTIN), ROW(TTOU), ROW(URG),  ROW(XCPU),
	ROW(XFSZ), ROW(VTALRM), ROW(PROF), ROW(WINCH), ROW(POLL), ROW(PWR),  ROW(SYS),
};

const char *strerrorname_np(int error)
{
	if (error == 0)
		return "0";
	return error > 0 && (size_t)error < ARRAY_LEN(errors) ? errors[error] : NULL;
}

const char *sigabbrev_np(int signal)
{
	if (signal <= 0 || signal >= (int)ARRAY_LEN(signals))
		return NULL;
	return signals[signal];
}

/* scandir knows names only; a descriptor has one in /proc. */
int scandirat(int at, const char *path, struct dirent ***ret,
	      int (*keep)(const struct dirent *entry),
	      int (*compare)(const struct dirent **a, const struct dirent **b))
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[40];
	int n;

	if (fd < 0)
		return -1;
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	n = scandir(name, ret, keep, compare);
	(void)close(fd);
	return n;
}

/* musl's own sets FD_CLOEXEC a second time, for kernels before 2.6.23. */
int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {
		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
	}
	return openat(AT_FDCWD, path, flags, mode);
}
