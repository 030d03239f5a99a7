// SPDX-License-Identifier: Apache-2.0
/**
 * The bytes of GIST: RFC 5971, appendix A. No I/O, no state.
 *
 * <p>{@link org.netserv.gist.wire.GistMessage} reads and writes whole messages. It refuses a bad
 * message with a {@link org.netserv.gist.wire.GistFormatException}, from which {@link
 * org.netserv.gist.wire.ErrorMessages} makes the answer. {@link org.netserv.gist.wire.RawHeader}
 * takes the quick look. {@link org.netserv.gist.wire.RawMessage} changes a message that only
 * passes.
 *
 * <p>Lengths are exact. Reserved bits, padding and fields with their flag off are zero when written
 * and ignored when read. An MRI of an unknown method is kept as it is.
 */
package org.netserv.gist.wire;
