// SPDX-License-Identifier: GPL-3.0-or-later
// tests/faults: a library for LD_PRELOAD that breaks one call of a program's I/O.
//
//   FAULTY_IO="CALL N HOW"    the Nth CALL (from 1) fails with HOW; "N+": it and all after it
//   FAULTY_IO_LOG=FILE        gets "broke CALL N PATH" for each, and at the end "CALL COUNT" lines
//
// CALL: a row of CALLS. HOW: a row of ERRORS, or `short`: a read or write of half the bytes.
// FAULTY_CLOCK=1 makes every reading of the time of day jump by a day, back and forth.
//
// Another run on the same CPU is not waited for: it has no part in a simulated host's numbers.
// Only the process that loaded it is broken, not what it forks. glibc's own stdio calls
// the kernel by inner names, so fopen and fdopen give streams whose reads and writes come here.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define CALLS(ROW)                                                                                 \
    ROW(open) ROW(read) ROW(write) ROW(fsync) ROW(fdatasync) ROW(rename) ROW(ftruncate) ROW(mkdir)
#define ERRORS(ROW) ROW(EIO) ROW(ENOSPC) ROW(EINTR) ROW(EMFILE)

enum call {
#define ROW(name) CALL_##name,
    CALLS(ROW)
#undef ROW
        CALL_COUNT
};

static const char *const call_names[] = {
#define ROW(name) #name,
    CALLS(ROW)
#undef ROW
};

static const struct {
    const char *name;
    int number;
} error_rows[] = {
#define ROW(name) {#name, name},
    ERRORS(ROW)
#undef ROW
};

enum { MAX_STREAMS = 64 };

static struct {
    pid_t owner;
    enum call call;
    long nth;
    int and_after, is_short, number; // number: of the error
    long counts[CALL_COUNT];
    int log;
} plan = {.call = CALL_COUNT, .log = -1};

static struct {
    FILE *stream;
    int file;
} streams[MAX_STREAMS]; // so that fileno() still answers

#define REAL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    char text[4600];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (plan.log >= 0 && length > 0)
        syscall(SYS_write, plan.log, text, (size_t)length);
}

// The path behind a descriptor, or "?".
static const char *path_of(int file, char *text, size_t size) {
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, text, size - 1);
    text[length > 0 ? length : 0] = '\0';
    return length > 0 ? text : "?";
}

// Is this call the one to break? `path` NULL: ask the descriptor.
static int due(enum call call, int file, const char *path) {
    char text[4096];
    if (getpid() != plan.owner)
        return 0;
    long count = ++plan.counts[call];
    if (call != plan.call || count < plan.nth || (count > plan.nth && !plan.and_after))
        return 0;
    say("broke %s %ld %s\n", call_names[call], count,
        path ? path : path_of(file, text, sizeof text));
    if (!plan.is_short)
        errno = plan.number;
    return 1;
}

static void read_plan(const char *text) {
    char call[16], nth[16], how[16];
    if (!text || sscanf(text, "%15s %15s %15s", call, nth, how) != 3)
        return;
    plan.nth = atol(nth);
    plan.and_after = strchr(nth, '+') != NULL;
    plan.is_short = !strcmp(how, "short");
    int known = plan.is_short;
    for (size_t i = 0; i < sizeof error_rows / sizeof *error_rows; i++)
        if (!strcmp(how, error_rows[i].name)) {
            plan.number = error_rows[i].number;
            known = 1;
        }
    for (int i = 0; known && i < CALL_COUNT; i++)
        if (!strcmp(call, call_names[i]))
            plan.call = (enum call)i;
    if (plan.call == CALL_COUNT || plan.nth < 1) {
        fprintf(stderr, "FAULTY_IO: '%s' is no CALL N HOW\n", text);
        _exit(99);
    }
}

__attribute__((constructor)) static void begin(void) {
    const char *log = getenv("FAULTY_IO_LOG");
    plan.owner = getpid();
    if (log)
        plan.log = (int)syscall(SYS_openat, AT_FDCWD, log,
                                O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    read_plan(getenv("FAULTY_IO"));
    unsetenv("LD_PRELOAD"); // perf and as are not under test
}

__attribute__((destructor)) static void end(void) {
    if (getpid() != plan.owner)
        return;
    for (int i = 0; i < CALL_COUNT; i++)
        say("%s %ld\n", call_names[i], plan.counts[i]);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return due(CALL_open, -1, path) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int mkostemp(char *template, int flags) {
    return due(CALL_open, -1, template) ? -1 : REAL(mkostemp, template, flags);
}

int mkstemp(char *template) {
    return due(CALL_open, -1, template) ? -1 : REAL(mkstemp, template);
}

ssize_t read(int file, void *data, size_t size) {
    int broken = due(CALL_read, file, NULL);
    if (broken && !plan.is_short)
        return -1;
    return syscall(SYS_read, file, data, broken && size > 1 ? size / 2 : size);
}

ssize_t write(int file, const void *data, size_t size) {
    int broken = due(CALL_write, file, NULL);
    if (broken && !plan.is_short)
        return -1;
    return syscall(SYS_write, file, data, broken && size > 1 ? size / 2 : size);
}

int fsync(int file) {
    return due(CALL_fsync, file, NULL) && !plan.is_short ? -1 : (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    return due(CALL_fdatasync, file, NULL) && !plan.is_short ? -1
                                                             : (int)syscall(SYS_fdatasync, file);
}

int rename(const char *from, const char *to) {
    return due(CALL_rename, -1, to) && !plan.is_short
               ? -1
               : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

int ftruncate(int file, off_t length) {
    return due(CALL_ftruncate, file, NULL) && !plan.is_short
               ? -1
               : (int)syscall(SYS_ftruncate, file, length);
}

int truncate(const char *path, off_t length) {
    return due(CALL_ftruncate, -1, path) && !plan.is_short
               ? -1
               : (int)syscall(SYS_truncate, path, length);
}

int mkdir(const char *path, mode_t mode) {
    return due(CALL_mkdir, -1, path) && !plan.is_short
               ? -1
               : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

// The runner's lock of a CPU is a socket's name; nothing else here binds one.
int bind(int file, const struct sockaddr *address, socklen_t length) {
    (void)file, (void)address, (void)length;
    return 0;
}

// The time of day as nobody should set it; every other clock is left alone.
static time_t jumped(time_t now) {
    static int calls;
    if (!getenv("FAULTY_CLOCK"))
        return now;
    return now + (calls++ % 2 ? -86400 : 86400);
}

time_t time(time_t *out) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    time_t value = jumped(now.tv_sec);
    if (out)
        *out = value;
    return value;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (!failed && clock == CLOCK_REALTIME)
        now->tv_sec = jumped(now->tv_sec);
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int failed = (int)syscall(SYS_gettimeofday, now, zone);
    if (!failed)
        now->tv_sec = jumped(now->tv_sec);
    return failed;
}

static ssize_t stream_read(void *cookie, char *data, size_t size) {
    return read((int)(long)cookie, data, size);
}

// A stream's write function says 0, not -1, for an error.
static ssize_t stream_write(void *cookie, const char *data, size_t size) {
    ssize_t written = write((int)(long)cookie, data, size);
    return written < 0 ? 0 : written;
}

static int stream_seek(void *cookie, off64_t *offset, int whence) {
    off_t at = lseek((int)(long)cookie, *offset, whence);
    if (at >= 0)
        *offset = at;
    return at < 0 ? -1 : 0;
}

static int stream_close(void *cookie) {
    int file = (int)(long)cookie;
    for (int i = 0; i < MAX_STREAMS; i++)
        if (streams[i].stream && streams[i].file == file)
            streams[i].stream = NULL;
    return close(file);
}

FILE *fdopen(int file, const char *mode) {
    cookie_io_functions_t calls = {stream_read, stream_write, stream_seek, stream_close};
    FILE *stream = fopencookie((void *)(long)file, mode, calls);
    for (int i = 0; stream && i < MAX_STREAMS; i++)
        if (!streams[i].stream) {
            streams[i].stream = stream;
            streams[i].file = file;
            break;
        }
    return stream;
}

FILE *fopen(const char *path, const char *mode) {
    int plus = strchr(mode, '+') != NULL;
    int flags = plus ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
    flags |= *mode == 'w' ? O_CREAT | O_TRUNC : *mode == 'a' ? O_CREAT | O_APPEND : 0;
    int file = open(path, flags | (strchr(mode, 'e') ? O_CLOEXEC : 0), 0666);
    return file < 0 ? NULL : fdopen(file, mode);
}

FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));

int fileno(FILE *stream) {
    for (int i = 0; i < MAX_STREAMS; i++)
        if (streams[i].stream == stream)
            return streams[i].file;
    return REAL(fileno, stream);
}
