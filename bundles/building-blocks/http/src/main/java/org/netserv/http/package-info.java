// SPDX-License-Identifier: Apache-2.0
/**
 * Heads and contents of HTTP messages (RFC 9110, 9112) as views on bytes.
 *
 * <pre>
 *   RequestHead, ResponseHead      one head each: start line, framing, fields
 *   FieldSection, Field            the field lines; the fields that the code knows by name
 *   HeadError                      each fault of a head, with the status that answers it
 *   HeadWriter                     a head in the making
 *   Body                           the way in which a message's content ends
 *   ContentReader, ChunkedReader   the content of a message, from slices of any size
 *   ContentStep, ContentError      the results of reading some bytes; the faults of a content
 *   ChunkedWriter                  what stands around the bytes of chunks
 *   ListCursor                     the members of a list, over all lines of a field
 *   HttpDate, EntityTag            two kinds of value
 * </pre>
 *
 * <p>Positions are absolute indices of the array that the view was pointed at, and ends are
 * exclusive. Views and writers allocate nothing after their construction and belong to one thread.
 * A fault is a {@link org.netserv.http.HeadError} or a {@link org.netserv.http.ContentError}, never
 * an exception.
 */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.0.0")
package org.netserv.http;
