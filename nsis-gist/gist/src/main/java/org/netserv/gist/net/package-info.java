// SPDX-License-Identifier: Apache-2.0
/** The ports of GIST on a real host: TCP and TLS by Netty, timers, interfaces and routes. */
package org.netserv.gist.net;
