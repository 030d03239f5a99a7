// SPDX-License-Identifier: Apache-2.0

/**
 * The layers of isolation that this node has, and the refusal of publishers where layers are
 * missing.
 */
package org.netserv.controller.isolation;
