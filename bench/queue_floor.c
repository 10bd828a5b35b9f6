/* The system calls of one durable put and nothing else: the floor that no program can pass.
 * queue_floor FOLDER THREADS PUTS SIZE prints puts a second and the median in microseconds.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *folder;
static long puts_each, size;
static double *times;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void check(int failed) {
    if (failed) { perror("queue_floor"); exit(1); }
}

static void put(int dir, long thread, long number, const char *content) {
    char temporary[64], name[64];
    struct stat found;
    snprintf(name, sizeof name, "%08lx%08lx.wal", thread, number);
    snprintf(temporary, sizeof temporary, "%08lx%08lx.tmp.%d.%ld", thread, number, getpid(), number);
    check(fstatat(dir, name, &found, AT_SYMLINK_NOFOLLOW) == 0);
    int file = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    check(file < 0 || write(file, content, size) != size);
    check(linkat(dir, temporary, dir, name, 0) || unlinkat(dir, temporary, 0));
    check(fsync(file) || fsync(dir) || close(file));
}

static void *produce(void *argument) {
    long thread = (long)argument;
    int dir = open(folder, O_RDONLY | O_DIRECTORY);
    char *content = malloc(size);
    memset(content, 'x', size);
    for (long i = 0; i < puts_each; i++) {
        double began = now();
        put(dir, thread, i, content);
        times[thread * puts_each + i] = now() - began;
    }
    return NULL;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

int main(int count, char **words) {
    check(count != 5);
    folder = words[1];
    long threads = atol(words[2]);
    puts_each = atol(words[3]);
    size = atol(words[4]);
    times = malloc(sizeof(double) * threads * puts_each);
    pthread_t running[64];
    double began = now();
    for (long i = 0; i < threads; i++) pthread_create(&running[i], NULL, produce, (void *)i);
    for (long i = 0; i < threads; i++) pthread_join(running[i], NULL);
    double seconds = now() - began;
    qsort(times, threads * puts_each, sizeof(double), compare);
    printf("%.1f %.1f\n", threads * puts_each / seconds, times[threads * puts_each / 2] * 1e6);
}
