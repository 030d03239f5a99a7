/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - the directories of a node below its root, with the owners they must have (docs/architecture.md, "A node on
 * disk").
 */
#ifndef NS_TREE_H
#define NS_TREE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Makes the missing directories and corrects owner and mode of the others. Returns 0, or -1 with a line in the log.
 */
int ns_tree_make(const char *root, uint32_t ids);

/*
 * Tells whether the file is a plain file with one name. In a directory of another user, a second name could be any
 * file's. Returns false with errno.
 */
bool ns_tree_plain(int fd);

#endif
