// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/host/core_lock.h"

#include "runner/host/process.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static socklen_t make_address(int cpu, struct sockaddr_un *address) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length =
        snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "asmsweep-cpu-%d", cpu);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

// The pid of the run that holds the lock, 0 if it cannot be told.
static int holder(const struct sockaddr_un *address, socklen_t length) {
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0)
        return 0;
    if (!connect(probe, (const struct sockaddr *)address, length) &&
        getsockopt(probe, SOL_SOCKET, SO_PEERCRED, &peer, &size))
        peer.pid = 0;
    close(probe);
    return peer.pid;
}

int core_lock(int cpu, int wait, struct error *error) {
    struct sockaddr_un address;
    socklen_t length = make_address(cpu, &address);
    int lock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), told = 0, pid = 0;
    if (lock < 0)
        return error_errno(error, ERROR_MISSING, NULL, "no socket for the lock of CPU %d", cpu);
    while (bind(lock, (const struct sockaddr *)&address, length)) {
        int taken = errno == EADDRINUSE;
        if (!told)
            pid = holder(&address, length);
        if (!taken || !wait || process_interrupted()) {
            close(lock);
            return error_set(error, ERROR_MISSING, NULL, 0,
                             "CPU %d is in use by another run (pid %d); wait for it, or choose "
                             "another with --cpu",
                             cpu, pid);
        }
        if (!told)
            fprintf(stderr, "CPU %d is in use by another run (pid %d); waiting for its end\n", cpu,
                    pid);
        told = 1;
        usleep(200000);
    }
    listen(lock, SOMAXCONN); // each who asks for our pid takes one place, for good
    return lock;
}
