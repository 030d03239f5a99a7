// SPDX-License-Identifier: Apache-2.0
/**
 * Structured field values (RFC 9651): lists, dictionaries and items, read and written.
 *
 * <pre>
 *   StructuredParser        octets of a field value to values; checks each rule of section 4.2
 *   StructuredWriter        values to text, section 4.1
 *   Item, InnerList         the members of lists and dictionaries, with Parameters
 *   BareItem                the eight types of section 3.3
 * </pre>
 *
 * <p>Values are immutable and serve all threads. A fault of a field value is a {@link
 * org.netserv.http.structured.StructuredException}, and the whole field is then ignored.
 */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.0.0")
package org.netserv.http.structured;
