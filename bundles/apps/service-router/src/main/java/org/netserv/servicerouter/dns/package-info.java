// SPDX-License-Identifier: Apache-2.0
/**
 * Services in the DNS, by dnsjava.
 *
 * <pre>
 *   ServiceName     the name of a prefix in a zone
 *   ServiceRecord   SVCB or TXT of one target
 *   DnsExchange     a question to a server and its answer, over UDP or TCP
 *   DnsResolver     look-ups for the feeder Lookups
 *   DnsPublisher    dynamic updates of the prefixes that the router announces
 * </pre>
 */
package org.netserv.servicerouter.dns;
