// SPDX-License-Identifier: Apache-2.0

/** The features of the node's fast path, and whether policy has switched it on. */
package org.netserv.controller.fastpath;
