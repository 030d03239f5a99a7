/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static void close_quietly(int *fd) {
    int saved = errno;

    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    errno = saved;
}

static int open_read_only(int fd) {
    char path[32];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_CLOEXEC);
}

int ns_memfd_create(const char *name, uint64_t bytes, int *read_write, int *read_only) {
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

    if (fd < 0 && errno == EINVAL) /* before Linux 6.3 */
        fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    if (ftruncate(fd, (off_t)bytes) != 0 || fchmod(fd, 0600) != 0 || fcntl(fd, F_ADD_SEALS, SEALS) != 0)
        goto fail;
    if (read_only != NULL && (*read_only = open_read_only(fd)) < 0)
        goto fail;
    *read_write = fd;
    return 0;
fail:
    close_quietly(&fd);
    return -1;
}

int ns_memfd_check(int fd, uint64_t bytes) {
    struct stat info;
    int seals = fcntl(fd, F_GET_SEALS);

    if (seals < 0 || fstat(fd, &info) != 0)
        return -1;
    if ((seals & F_SEAL_SHRINK) == 0 || info.st_size < 0 || (uint64_t)info.st_size < bytes) {
        errno = EBADMSG;
        return -1;
    }
    return 0;
}

static int slots_valid(uint32_t slots) {
    return slots >= 64 && slots <= 16384 && (slots & (slots - 1)) == 0;
}

static int fill_headers(const struct ns_ring_fds *fds, uint32_t slots) {
    struct ns_ring_d d = {
        .magic = NS_RING_D_MAGIC,
        .major = NS_RING_MAJOR,
        .minor = NS_RING_MINOR,
        .slots = slots,
        .slot_size = NS_RING_SLOT_SIZE,
        .records = (uint32_t)ns_ring_d_records(slots),
        .record_flows = NS_RING_RECORD_FLOWS,
        .record_counts = NS_RING_RECORD_COUNTS,
        .record_relays = NS_RING_RELAYS,
    };
    struct ns_ring_s s = {.magic = NS_RING_S_MAGIC, .major = NS_RING_MAJOR, .minor = NS_RING_MINOR};

    if (pwrite(fds->desc_rw, &d, sizeof d, 0) != (ssize_t)sizeof d)
        return -1;
    return pwrite(fds->slots, &s, sizeof s, 0) == (ssize_t)sizeof s ? 0 : -1;
}

int ns_ring_create(uint32_t slots, struct ns_ring_fds *fds) {
    *fds = (struct ns_ring_fds){-1, -1, -1};
    if (!slots_valid(slots)) {
        errno = EINVAL;
        return -1;
    }
    if (ns_memfd_create("ns-ring-d", ns_ring_d_bytes(slots), &fds->desc_rw, &fds->desc_ro) != 0 ||
        ns_memfd_create("ns-ring-s", ns_ring_s_bytes(slots), &fds->slots, NULL) != 0 || fill_headers(fds, slots) != 0) {
        ns_ring_close(fds);
        return -1;
    }
    return 0;
}

void ns_ring_close(struct ns_ring_fds *fds) {
    close_quietly(&fds->desc_rw);
    close_quietly(&fds->desc_ro);
    close_quietly(&fds->slots);
}

static void *map_region(int fd, uint64_t bytes, int protection) {
    void *at = mmap(NULL, bytes, protection, MAP_SHARED, fd, 0);

    return at == MAP_FAILED ? NULL : at;
}

/* Only the header of D is worth a look: the container can write anything into that of S. */
static int header_valid(const struct ns_ring_d *d, uint32_t slots) {
    return d->magic == NS_RING_D_MAGIC && d->major == NS_RING_MAJOR && d->slots == slots &&
           d->slot_size == NS_RING_SLOT_SIZE;
}

/* A ring of minor version 0 ends before the records, one of 1 before the records of relays. */
static uint64_t d_bytes(int desc_fd, uint32_t slots) {
    const uint64_t bytes[] = {ns_ring_d_bytes(slots), ns_ring_d_bytes_1(slots)};

    for (unsigned i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
        if (ns_memfd_check(desc_fd, bytes[i]) == 0)
            return bytes[i];
    }
    return ns_ring_d_records(slots);
}

/* A ring before minor version 2 ends with the slots. */
static uint64_t s_bytes(int slots_fd, uint32_t slots) {
    return ns_memfd_check(slots_fd, ns_ring_s_bytes(slots)) == 0 ? ns_ring_s_bytes(slots) : ns_ring_s_asks(slots);
}

static int has_records(const struct ns_ring_map *map) {
    const struct ns_ring_d *d = map->d;

    return map->d_bytes >= ns_ring_d_bytes_1(map->slots) && d->minor >= 1 &&
           d->records == ns_ring_d_records(map->slots) && d->record_flows == NS_RING_RECORD_FLOWS &&
           d->record_counts == NS_RING_RECORD_COUNTS;
}

static int has_relays(const struct ns_ring_map *map) {
    return map->records != NULL && map->d_bytes == ns_ring_d_bytes(map->slots) &&
           map->s_bytes == ns_ring_s_bytes(map->slots) && map->d->minor >= 2 && map->d->record_relays == NS_RING_RELAYS;
}

int ns_ring_map(struct ns_ring_map *map, int desc_fd, int slots_fd, uint32_t slots, int writable) {
    uint8_t *d, *s;

    memset(map, 0, sizeof *map);
    if (!slots_valid(slots)) {
        errno = EINVAL;
        return -1;
    }
    map->slots = slots;
    map->d_bytes = d_bytes(desc_fd, slots);
    map->s_bytes = s_bytes(slots_fd, slots);
    if (ns_memfd_check(desc_fd, map->d_bytes) != 0 || ns_memfd_check(slots_fd, map->s_bytes) != 0)
        return -1;
    d = map_region(desc_fd, map->d_bytes, PROT_READ | (writable ? PROT_WRITE : 0));
    s = map_region(slots_fd, map->s_bytes, PROT_READ | PROT_WRITE);
    map->d = (struct ns_ring_d *)d;
    map->s = (struct ns_ring_s *)s;
    if (d == NULL || s == NULL) {
        ns_ring_unmap(map);
        return -1;
    }
    if (!header_valid(map->d, slots)) {
        ns_ring_unmap(map);
        errno = EBADMSG;
        return -1;
    }
    map->desc = (struct ns_ring_desc *)(d + NS_RING_D_DESC);
    map->records = has_records(map) ? (struct ns_ring_record *)(d + ns_ring_d_records(slots)) : NULL;
    map->verdict = (struct ns_ring_verdict *)(s + NS_RING_S_VERDICT);
    map->slot = s + ns_ring_s_slots(slots);
    if (has_relays(map)) {
        map->relays = (struct ns_ring_relay *)(map->records + NS_RING_RECORD_FLOWS + NS_RING_RECORD_COUNTS);
        map->ask = (struct ns_ring_ask *)(s + ns_ring_s_asks(slots));
    }
    return 0;
}

void ns_ring_unmap(struct ns_ring_map *map) {
    int saved = errno;

    if (map->d != NULL)
        munmap(map->d, map->d_bytes);
    if (map->s != NULL)
        munmap(map->s, map->s_bytes);
    memset(map, 0, sizeof *map);
    errno = saved;
}
