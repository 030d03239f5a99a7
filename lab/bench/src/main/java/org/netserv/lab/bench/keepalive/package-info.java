// SPDX-License-Identifier: Apache-2.0
/** Processor time of a keep-alive, at the edge and by Kamailio. */
package org.netserv.lab.bench.keepalive;
