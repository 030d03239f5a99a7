// SPDX-License-Identifier: Apache-2.0
/** Sockets of ActiveCDN on Netty: HTTP/1.1 toward clients and toward the origin. */
package org.netserv.activecdn.net;
