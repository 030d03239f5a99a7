/* SPDX-License-Identifier: Apache-2.0 */
/* ns_e2fs.h - where the tools of e2fsprogs are: the spawner runs them, the probe looks for them. */
#ifndef NS_E2FS_H
#define NS_E2FS_H

#define NS_MKE2FS "/usr/sbin/mke2fs"
#define NS_E2FSCK "/usr/sbin/e2fsck"
#define NS_RESIZE2FS "/usr/sbin/resize2fs"

#endif
