// SPDX-License-Identifier: Apache-2.0

/** Which layers of isolation this node has, and who is refused where some are missing. */
package org.netserv.controller.isolation;
