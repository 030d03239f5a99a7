// SPDX-License-Identifier: Apache-2.0
/**
 * The wire format of Serval's service access layer (SAL), without I/O.
 *
 * <pre>
 *   SalPacket, SalWriter                a view of a packet; a packet in the making
 *   ServalError                         the refusals of a packet
 *   Control, Service, AddressList,
 *   SourceList, Capability, HopList     one extension each: get reads it, put writes it
 *   ExtensionType, Extensions           the types; bytes of any type, copied as they are
 *   ServiceId, ServicePrefix, Endpoint  values
 *   Way                                 the hops of a packet, from SOURCE or HOPS
 *   Counts                              counters of refusals and verdicts by name
 *   Registration                        the message by which the published stack registers
 * </pre>
 *
 * <p>Positions are absolute indices of a big-endian ByteBuffer, and ends are exclusive. IPv4
 * addresses in {@link org.netserv.serval.Endpoint} are ::ffff:a.b.c.d in two halves, as in
 * org.netserv.packet. Views and writers allocate nothing after their construction, and belong to
 * one thread. A fault is a {@link org.netserv.serval.ServalError}, never an exception.
 */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.0.0")
package org.netserv.serval;
