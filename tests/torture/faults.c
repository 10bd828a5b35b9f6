/* Fails or kills at the n-th file call of the process; armed by fault_arm(), counted by all threads.
 * mode 0: off (only count), 1: SIGKILL before the call, 2: fail with errno, 3: write only one byte.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static volatile long calls, at;
static volatile int mode, number, armed;

void fault_arm(long when, int how, int error) { calls = 0; at = when; mode = how; number = error; armed = 1; }
long fault_disarm(void) { armed = 0; return calls; }

static int hit(void) {
    if (!armed || __sync_add_and_fetch(&calls, 1) != at) return 0;
    if (mode == 1) kill(getpid(), SIGKILL);
    return mode;
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAULT if (hit() == 2) { errno = number; return -1; }
#define MODE int m = 0; if (flags & (O_CREAT | __O_TMPFILE)) { va_list v; va_start(v, flags); m = va_arg(v, int); va_end(v); }

int open(const char *p, int flags, ...) { REAL(open); MODE; FAULT; return real(p, flags, m); }
int open64(const char *p, int flags, ...) { REAL(open64); MODE; FAULT; return real(p, flags, m); }
int openat(int d, const char *p, int flags, ...) { REAL(openat); MODE; FAULT; return real(d, p, flags, m); }
int openat64(int d, const char *p, int flags, ...) { REAL(openat64); MODE; FAULT; return real(d, p, flags, m); }
ssize_t write(int f, const void *b, size_t n) {
    REAL(write);
    int what = hit();
    if (what == 2) { errno = number; return -1; }
    return real(f, b, what == 3 && n > 1 ? 1 : n);
}
ssize_t pwrite64(int f, const void *b, size_t n, off64_t o) { REAL(pwrite64); FAULT; return real(f, b, n, o); }
ssize_t read(int f, void *b, size_t n) {
    REAL(read);
    int what = hit();
    if (what == 2) { errno = number; return -1; }
    return real(f, b, what == 3 && n > 1 ? 1 : n);
}
int fsync(int f) { REAL(fsync); FAULT; return real(f); }
int fdatasync(int f) { REAL(fdatasync); FAULT; return real(f); }
int link(const char *a, const char *b) { REAL(link); FAULT; return real(a, b); }
int linkat(int x, const char *a, int y, const char *b, int g) { REAL(linkat); FAULT; return real(x, a, y, b, g); }
int rename(const char *a, const char *b) { REAL(rename); FAULT; return real(a, b); }
int renameat(int x, const char *a, int y, const char *b) { REAL(renameat); FAULT; return real(x, a, y, b); }
int unlink(const char *p) { REAL(unlink); FAULT; return real(p); }
int unlinkat(int d, const char *p, int g) { REAL(unlinkat); FAULT; return real(d, p, g); }
int ftruncate64(int f, off64_t n) { REAL(ftruncate64); FAULT; return real(f, n); }
int close(int f) { REAL(close); if (hit() == 2) { real(f); errno = number; return -1; } return real(f); }
