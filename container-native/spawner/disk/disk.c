/* SPDX-License-Identifier: Apache-2.0 */
#include "disk.h"

#include "ns_log.h"
#include "ns_value.h"
#include "run.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define COPY_MS 120000
#define FULL_BLOCKS 16 /* free blocks that ext4 withholds from a writer after ENOSPC, and a few more */
#define OWN_INODES 10  /* used by ext4 itself, see image.c */

struct places {
    char data[PATH_MAX + NS_NAME_MAX + 8], image[PATH_MAX + NS_NAME_MAX + 8], made[PATH_MAX + NS_NAME_MAX + 8],
        old[PATH_MAX + NS_NAME_MAX + 8], stage[PATH_MAX + NS_NAME_MAX + 8];
};

static void find(struct places *at, const struct ns_paths *paths, const char *name) {
    snprintf(at->data, sizeof at->data, "%s/%s", paths->containers, name);
    snprintf(at->image, sizeof at->image, "%s/.%s.img", paths->containers, name);
    snprintf(at->made, sizeof at->made, "%s/.%s.new", paths->containers, name);
    snprintf(at->old, sizeof at->old, "%s/.%s.old", paths->containers, name);
    snprintf(at->stage, sizeof at->stage, "%s/.%s.mnt", paths->containers, name);
}

static bool exists(const char *path) {
    struct stat status;

    return lstat(path, &status) == 0;
}

static int remove_tree(const char *path) {
    const char *const argv[] = {"/usr/bin/rm", "-rf", "--one-file-system", "--", path, NULL};
    struct ns_run run = {.argv = argv, .msec = COPY_MS};

    return ns_run(&run) == 0 ? 0 : -1;
}

/* Copies a tree with owners, modes, times, links and holes. */
static int copy_tree(const char *from, const char *to) {
    char source[PATH_MAX + NS_NAME_MAX + 16];
    const char *const argv[] = {"/usr/bin/cp", "-a", "--sparse=always", "--one-file-system", "--", source, to, NULL};
    struct ns_run run = {.argv = argv, .msec = COPY_MS};

    snprintf(source, sizeof source, "%s/.", from);
    return ns_run(&run) == 0 ? 0 : -1;
}

/* Waits until the file or directory is on the disk, before the next step. */
static int settle(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), result = fd < 0 ? -1 : fsync(fd);

    if (fd >= 0)
        close(fd);
    return result;
}

static bool empty(const char *path) {
    DIR *list = opendir(path);
    struct dirent *entry;
    bool found = false;

    while (list != NULL && !found && (entry = readdir(list)) != NULL)
        found = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (list != NULL)
        closedir(list);
    return !found;
}

static int fail(char why[160], const char *what) {
    snprintf(why, 160, "disk: %s: %s", what, strerror(errno));
    return -1;
}

/* Removes leftover mounts. They exist only if a start was cut off, or if a predecessor had no mount namespace. */
static void detach(const struct places *at) {
    while (umount2(at->data, UMOUNT_NOFOLLOW | MNT_DETACH) == 0 ||
           umount2(at->stage, UMOUNT_NOFOLLOW | MNT_DETACH) == 0)
        continue;
}

void ns_disk_abandon(const struct ns_paths *paths, const char *name) {
    static struct places at;

    find(&at, paths, name);
    detach(&at);
    unlink(at.made);
    rmdir(at.stage);
}

int ns_disk_recover(const struct ns_paths *paths, const char *name, char why[160]) {
    static struct places at;

    find(&at, paths, name);
    detach(&at);
    if (unlink(at.made) != 0 && errno != ENOENT)
        return fail(why, "half-made image");
    if (rmdir(at.stage) != 0 && errno != ENOENT)
        return fail(why, "stage");
    if (!exists(at.old))
        return 0;
    if (exists(at.image))
        return remove_tree(at.old) == 0 ? 0 : fail(why, "old directory");
    if ((rmdir(at.data) != 0 && errno != ENOENT) || rename(at.old, at.data) != 0)
        return fail(why, "old directory");
    return 0;
}

static void remove_lost_and_found(const char *root) {
    char lost[sizeof((struct places *)NULL)->stage + 16];

    snprintf(lost, sizeof lost, "%s/lost+found", root);
    rmdir(lost);
}

static int make_image(const char *path, struct ns_image_size size, uid_t uid, gid_t gid, char why[160]) {
    if (ns_image_make(path, size, uid, gid) == 0)
        return 0;
    snprintf(why, 160, "disk: no file system of %llu MiB and %llu inodes: see the log", (unsigned long long)size.mib,
             (unsigned long long)size.inodes);
    return -1;
}

/*
 * Copies into the stage. `*written` says whether the copy has reached the image. The copy ends in memory, and a full
 * disk below the image shows only when the memory is written back. An unmount would not report this error.
 */
static int fill(const char *from, const char *stage, bool *written) {
    int fd = open(stage, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = copy_tree(from, stage);

    *written = fd >= 0 && syncfs(fd) == 0;
    if (fd >= 0)
        close(fd);
    return result;
}

/* Makes an image with the contents of the directory `from`, as .NAME.new. */
static int make(const struct places *at, const char *from, struct ns_image_size size, uid_t uid, gid_t gid,
                char why[160]) {
    bool written = true;
    int result;

    if (make_image(at->made, size, uid, gid, why) != 0)
        return -1;
    if (mkdir(at->stage, 0700) != 0 || ns_image_mount(at->made, at->stage) != 0)
        return fail(why, "mount");
    remove_lost_and_found(at->stage);
    result = empty(from) ? 0 : fill(from, at->stage, &written);
    if (umount2(at->stage, UMOUNT_NOFOLLOW) != 0)
        result = fail(why, "unmount");
    else if (!written)
        result = fail(why, "the node's own disk does not take what is in its directory");
    else if (result != 0)
        snprintf(why, 160, "disk: what is in its directory does not fit in %llu MiB and %llu inodes, see the log",
                 (unsigned long long)size.mib, (unsigned long long)size.inodes);
    rmdir(at->stage);
    return result == 0 && settle(at->made) != 0 ? fail(why, "image") : result;
}

/* Replaces a plain directory by an image with its contents, at the first start with the layer. */
static int introduce(const struct ns_paths *paths, const struct places *at, struct ns_image_size size, uid_t uid,
                     gid_t gid, char why[160]) {
    bool had = !empty(at->data);

    if (make(at, at->data, size, uid, gid, why) != 0) {
        unlink(at->made);
        return -1;
    }
    if (had && (rename(at->data, at->old) != 0 || mkdir(at->data, 0700) != 0))
        return fail(why, "old directory");
    if (rename(at->made, at->image) != 0 || settle(paths->containers) != 0)
        return fail(why, "image");
    if (had)
        ns_info("%s: what was in it is in a file system of its own now", at->data);
    return had && remove_tree(at->old) != 0 ? fail(why, "old directory") : 0;
}

/* Makes a new image with all contents of the old one, because ext4 cannot get more inodes without more space. */
static int rebuild(const struct places *at, struct ns_image_size size, uid_t uid, gid_t gid, char why[160]) {
    int result;

    if (ns_image_mount(at->image, at->data) != 0)
        return fail(why, "mount");
    result = make(at, at->data, size, uid, gid, why);
    if (umount2(at->data, UMOUNT_NOFOLLOW) != 0)
        result = fail(why, "unmount");
    if (result == 0 && rename(at->made, at->image) != 0)
        result = fail(why, "image");
    if (result != 0)
        unlink(at->made);
    return result;
}

/* Grows the image to the quota. If the image cannot follow, it stays as it is, and usable. */
static void follow(const struct places *at, struct ns_image_size wanted, uid_t uid, gid_t gid) {
    struct ns_image_size has;
    char why[160];

    if (ns_image_size(at->image, &has) != 0)
        return;
    if (has.mib > wanted.mib)
        ns_warn("%s: keeps its %llu MiB, the quota is %llu", at->image, (unsigned long long)has.mib,
                (unsigned long long)wanted.mib);
    if (has.mib < wanted.mib && ns_image_grow(at->image, wanted.mib) == 0 && ns_image_size(at->image, &has) == 0)
        ns_info("%s: has %llu MiB and %llu inodes now", at->image, (unsigned long long)has.mib,
                (unsigned long long)has.inodes);
    if (has.inodes < wanted.inodes) {
        wanted.mib = has.mib > wanted.mib ? has.mib : wanted.mib;
        if (rebuild(at, wanted, uid, gid, why) == 0)
            ns_info("%s: has room for %llu inodes now", at->image, (unsigned long long)wanted.inodes);
        else
            ns_warn("%s: keeps its %llu inodes: %s", at->image, (unsigned long long)has.inodes, why);
    }
}

int ns_disk_mount(const struct ns_paths *paths, const char *name, struct ns_image_size size, uid_t uid, gid_t gid,
                  char why[160]) {
    static struct places at;
    char device[NS_IMAGE_DEVICE];

    find(&at, paths, name);
    if (ns_image_held(at.image, device)) {
        ns_info("%s: an earlier mount lives on in another mount namespace: the same file system again", at.image);
        return ns_image_mount_device(device, at.data) == 0 ? 0 : fail(why, "mount");
    }
    if (!exists(at.image)) {
        if (introduce(paths, &at, size, uid, gid, why) != 0)
            return -1;
    } else {
        if (ns_image_check(at.image) != 0) {
            snprintf(why, 160, "disk: beyond what e2fsck can put right: see the log");
            return -1;
        }
        if (!empty(at.data))
            ns_warn("%s: what is in it is from a time without its file system, and hidden", at.data);
        follow(&at, size, uid, gid);
    }
    return ns_image_mount(at.image, at.data) == 0 ? 0 : fail(why, "mount");
}

int ns_disk_mount_new(const struct ns_paths *paths, const char *name, struct ns_image_size size, uid_t uid, gid_t gid,
                      char why[160]) {
    static struct places at;

    find(&at, paths, name);
    if (make_image(at.image, size, uid, gid, why) != 0)
        return -1;
    if (ns_image_mount(at.image, at.data) != 0)
        return fail(why, "mount");
    remove_lost_and_found(at.data);
    return 0;
}

void ns_disk_unmount(const struct ns_paths *paths, const char *name) {
    static struct places at;

    find(&at, paths, name);
    if (umount2(at.data, UMOUNT_NOFOLLOW) == 0)
        return;
    ns_warn("%s: %s: unmounted when nobody uses it", at.data, strerror(errno));
    umount2(at.data, UMOUNT_NOFOLLOW | MNT_DETACH);
}

int ns_disk_remove(const struct ns_paths *paths, const char *name) {
    static struct places at;
    const char *const files[] = {at.image, at.made};
    int result = 0;

    find(&at, paths, name);
    detach(&at);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (unlink(files[i]) != 0 && errno != ENOENT)
            result = -1;
    }
    if (exists(at.stage) && rmdir(at.stage) != 0)
        result = -1;
    if (exists(at.data) && rmdir(at.data) != 0 && remove_tree(at.data) != 0)
        result = -1;
    return result;
}

void ns_disk_leave(const struct ns_paths *paths, const char *name) {
    static struct places at;

    find(&at, paths, name);
    if (exists(at.image))
        ns_warn("%s: not mounted, what is in it is not seen", at.image);
}

struct ns_disk_use ns_disk_use(const struct ns_paths *paths, const char *name) {
    struct ns_disk_use use = {0, 0, false, false};
    static struct places at;
    struct statvfs status;

    find(&at, paths, name);
    if (statvfs(at.data, &status) != 0 || status.f_files - status.f_ffree < OWN_INODES)
        return use;
    use.bytes = (status.f_blocks - status.f_bfree) * status.f_frsize;
    use.inodes = status.f_files - status.f_ffree - OWN_INODES;
    use.full = status.f_bavail < FULL_BLOCKS;
    use.inodes_full = status.f_ffree == 0;
    return use;
}
