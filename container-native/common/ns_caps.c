/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_caps.h"

#include <errno.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int ns_caps_set(uint64_t permitted, uint64_t inheritable) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct data[2];

    for (int i = 0; i < 2; i++) {
        data[i].permitted = (uint32_t)(permitted >> (32 * i));
        data[i].effective = data[i].permitted;
        data[i].inheritable = (uint32_t)(inheritable >> (32 * i));
    }
    return (int)syscall(SYS_capset, &header, data);
}

int ns_caps_permitted(uint64_t *permitted) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct data[2];

    if (syscall(SYS_capget, &header, data) != 0)
        return -1;
    *permitted = data[0].permitted | ((uint64_t)data[1].permitted << 32);
    return 0;
}

int ns_caps_ambient(uint64_t mask) {
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
        return -1;
    for (unsigned long cap = 0; cap < 64; cap++) {
        if ((mask >> cap & 1) != 0 && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) != 0)
            return -1;
    }
    return 0;
}

int ns_caps_bound(uint64_t mask) {
    for (unsigned long cap = 0; cap < 64; cap++) {
        int there = prctl(PR_CAPBSET_READ, cap, 0, 0, 0);

        if (there < 0)
            return errno == EINVAL ? 0 : -1; /* EINVAL: beyond the last capability of this kernel */
        if (there == 1 && (mask >> cap & 1) == 0 && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0)
            return -1;
    }
    return 0;
}

int ns_caps_lock(void) {
    return prctl(PR_SET_SECUREBITS,
                 SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED |
                     SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
                 0, 0, 0);
}

int ns_caps_keep_only(uint64_t mask) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    /* without CAP_SETPCAP the bounding set stays; with no_new_privs nothing can be gained through it */
    if (ns_caps_bound(mask) != 0 && errno != EPERM)
        return -1;
    if (ns_caps_ambient(0) != 0)
        return -1;
    return ns_caps_set(mask, 0);
}
