// SPDX-License-Identifier: Apache-2.0
/**
 * The media relay beside coturn: processor time of a relayed packet, added delay, loss-free rate,
 * memory of an allocation.
 */
package org.netserv.lab.bench.relay;
