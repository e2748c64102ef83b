/* The firmware as a native program: the line to the host is stdin and stdout, the
 * bench the descriptor of --bench FD; with --memory FILE its memory survives; with --ticks time goes
 * by only where the bench says "tick MS".
 * Not: the protocol (core/).
 * Source: hil/firmware/README.md. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "firmware.h"
#include "hal.h"
#include "stimuli.h"

const uint8_t hal_image[32] = {0};

static struct device device;
static struct store *store;
static int bench_fd = -1;
static bool by_ticks;
static uint64_t ticked_us;

static uint64_t clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

uint64_t hal_uptime_us(void)
{
    static uint64_t began_us;
    if (by_ticks)
        return ticked_us;
    if (!began_us)
        began_us = clock_us();
    return clock_us() - began_us;
}

static void write_all(int fd, const void *bytes, size_t length)
{
    const char *at = bytes;
    while (length) {
        ssize_t written = write(fd, at, length);
        if (written <= 0)
            exit(0);
        at += written;
        length -= (size_t)written;
    }
}

void hal_send(const uint8_t *bytes, size_t length)
{
    write_all(STDOUT_FILENO, bytes, length);
}

void hal_store(void *place, const void *bytes, size_t length)
{
    memcpy(place, bytes, length);
}

void hal_outputs(uint32_t wanted)
{
    (void)wanted;
}

int hal_debug_open(void)
{
    return 0;
}

static void settle(void)
{
    while (firmware_poll(&device)) {
    }
}

/* Millisecond by millisecond, as the board's tick does. */
static void tick(uint32_t milliseconds)
{
    for (uint32_t i = 0; i < milliseconds; i++) {
        ticked_us += 1000;
        settle();
    }
}

static void bench_line(char *line)
{
    const char *said = "ok";
    if (strncmp(line, "tick ", 5) == 0)
        tick(number_of(line + 5));
    else
        said = stimulus(&device, line);
    settle();
    write_all(bench_fd, said, strlen(said));
    write_all(bench_fd, "\n", 1);
}

static void bench_bytes(const char *bytes, ssize_t count)
{
    static char line[LINE_MAX];
    static size_t length;
    for (ssize_t i = 0; i < count; i++) {
        if (bytes[i] != '\n') {
            if (length < sizeof line - 1)
                line[length++] = bytes[i];
            continue;
        }
        line[length] = 0;
        length = 0;
        bench_line(line);
    }
}

static struct store *memory(const char *path)
{
    if (!path)
        return calloc(1, sizeof(struct store));
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(struct store)) < 0) {
        perror(path);
        exit(2);
    }
    void *mapped = mmap(NULL, sizeof(struct store), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (mapped == MAP_FAILED) {
        perror(path);
        exit(2);
    }
    return mapped;
}

static void serve(void)
{
    char bytes[8192];
    struct pollfd fds[2] = {{STDIN_FILENO, POLLIN, 0}, {bench_fd, POLLIN, 0}};
    for (;;) {
        poll(fds, 2, by_ticks ? -1 : 1);
        if (fds[0].revents) {
            ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
            if (count <= 0)
                return;
            for (ssize_t i = 0; i < count; i++)
                firmware_receive(&device, (uint8_t)bytes[i]);
        }
        if (fds[1].revents) {
            ssize_t count = read(bench_fd, bytes, sizeof bytes);
            if (count <= 0)
                return;
            bench_bytes(bytes, count);
        }
        settle();
    }
}

int main(int argc, char **argv)
{
    const char *path = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--ticks") == 0)
            by_ticks = true;
        else if (strcmp(argv[i], "--memory") == 0 && i + 1 < argc)
            path = argv[++i];
        else if (strcmp(argv[i], "--bench") == 0 && i + 1 < argc)
            bench_fd = atoi(argv[++i]);
        else {
            fprintf(stderr, "usage: %s [--ticks] [--memory FILE] [--bench FD]\n", argv[0]);
            return 2;
        }
    }
    signal(SIGPIPE, SIG_IGN);
    store = memory(path);
    firmware_boot(&device, store);
    serve();
    if (!path)
        free(store);
    return 0;
}
