// SPDX-License-Identifier: Apache-2.0
/** The NetServ signaling application of a node, between GIST and the controller. */
package org.netserv.signaling;
