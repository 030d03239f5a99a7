// SPDX-License-Identifier: Apache-2.0
/** Kamailio's side: events from its queue, RPC calls to it, over the socket of its module ctl. */
package org.netserv.provider.kamailio;
