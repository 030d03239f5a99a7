// SPDX-License-Identifier: Apache-2.0
/**
 * The daemon nsis-gist: the NetServ signaling application (docs/protocols/nslp.md) on GIST, with
 * the controller of the node behind it. {@code PathRequest} is one request at one node, {@code
 * NetServApplication} all of them; both know GIST, the controller and the time as interfaces only.
 * {@code SignalingMain} puts them on sockets.
 */
package org.netserv.signaling;
