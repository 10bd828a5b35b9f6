/* Fails or kills at the n-th file call of the process; armed by fault_arm(), counted by all threads.
 * mode 0: off (only count), 1: SIGKILL before the call, 2: fail with errno, 3: write only one byte.
 * fault_sync() arms fsync alone, and notes what is synced again after it failed: a file never may be,
 * a folder only after something in it has changed.
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

static volatile long calls, at, every, failed, again;
static volatile int mode, number, armed, kind;
static volatile int folder_in_doubt, doubts;
static ino_t in_doubt[64];
enum { ALL_CALLS = 1, SYNCS = 2 };

void fault_arm(long when, int how, int error) { calls = 0; at = when; mode = how; number = error; armed = ALL_CALLS; }
long fault_disarm(void) { armed = 0; return calls; }
/* kind 1: files, 2: folders, 3: both; fails the first-th, then every every-th if that is not 0 */
void fault_sync(long first, long step, int error, int which) {
    calls = failed = again = doubts = folder_in_doubt = 0;
    at = first; every = step; number = error; kind = which; armed = SYNCS;
}
long fault_failed(void) { return failed; }
long fault_again(void) { return again; }

static int hit(void) {
    if (armed != ALL_CALLS || __sync_add_and_fetch(&calls, 1) != at) return 0;
    if (mode == 1) kill(getpid(), SIGKILL);
    return mode;
}

static void forget(ino_t file) {
    for (int i = 0; i < doubts; i++) if (in_doubt[i] == file) in_doubt[i] = 0;
}

static int sync_fails(int f) {
    if (armed != SYNCS) return hit() == 2;
    struct stat s;
    if (fstat(f, &s)) return 0;
    int is_folder = S_ISDIR(s.st_mode);
    if (is_folder) again += folder_in_doubt;
    else for (int i = 0; i < doubts; i++) again += in_doubt[i] == s.st_ino;
    if (!(kind & (is_folder ? 2 : 1))) return 0;
    long n = __sync_add_and_fetch(&calls, 1);
    if (n != at && !(every && n > at && (n - at) % every == 0)) return 0;
    __sync_add_and_fetch(&failed, 1);
    if (is_folder) folder_in_doubt = 1;
    else if (doubts < 64) in_doubt[doubts++] = s.st_ino;
    return 1;
}

/* A new file may have the number of one that was removed. */
static int opened(int f, int flags) {
    struct stat s;
    if (armed == SYNCS && f >= 0 && flags & O_EXCL && !fstat(f, &s)) forget(s.st_ino);
    return f;
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAULT if (hit() == 2) { errno = number; return -1; }
#define CHANGED folder_in_doubt = 0
#define MODE int m = 0; if (flags & (O_CREAT | __O_TMPFILE)) { va_list v; va_start(v, flags); m = va_arg(v, int); va_end(v); }

int open(const char *p, int flags, ...) { REAL(open); MODE; FAULT; return real(p, flags, m); }
int open64(const char *p, int flags, ...) { REAL(open64); MODE; FAULT; return real(p, flags, m); }
int openat(int d, const char *p, int flags, ...) { REAL(openat); MODE; FAULT; return opened(real(d, p, flags, m), flags); }
int openat64(int d, const char *p, int flags, ...) { REAL(openat64); MODE; FAULT; return opened(real(d, p, flags, m), flags); }
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
int fsync(int f) { REAL(fsync); if (sync_fails(f)) { errno = number; return -1; } return real(f); }
int fdatasync(int f) { REAL(fdatasync); FAULT; return real(f); }
int link(const char *a, const char *b) { REAL(link); FAULT; return real(a, b); }
int linkat(int x, const char *a, int y, const char *b, int g) { REAL(linkat); FAULT; CHANGED; return real(x, a, y, b, g); }
int rename(const char *a, const char *b) { REAL(rename); FAULT; return real(a, b); }
int renameat(int x, const char *a, int y, const char *b) { REAL(renameat); FAULT; CHANGED; return real(x, a, y, b); }
int unlink(const char *p) { REAL(unlink); FAULT; return real(p); }
int unlinkat(int d, const char *p, int g) { REAL(unlinkat); FAULT; CHANGED; return real(d, p, g); }
int ftruncate64(int f, off64_t n) { REAL(ftruncate64); FAULT; return real(f, n); }
int close(int f) { REAL(close); if (hit() == 2) { real(f); errno = number; return -1; } return real(f); }
