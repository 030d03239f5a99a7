// SPDX-License-Identifier: Apache-2.0

/** What the node's fast path offers, and whether policy has switched it on. */
package org.netserv.controller.fastpath;
