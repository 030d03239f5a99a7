// SPDX-License-Identifier: Apache-2.0
/**
 * The bytes of GIST: RFC 5971, appendix A. No I/O, no state.
 *
 * <p>{@link org.netserv.gist.wire.GistMessage} reads and writes whole messages and refuses with a
 * {@link org.netserv.gist.wire.GistFormatException}, from which {@link
 * org.netserv.gist.wire.ErrorMessages} makes the answer. {@link org.netserv.gist.wire.RawHeader} is
 * the quick look, {@link org.netserv.gist.wire.RawMessage} the change of what only passes. Lengths
 * are exact; reserved bits, padding and fields whose flag is off are zero when written and ignored
 * when read; an MRI of an unknown method is kept as it is.
 */
package org.netserv.gist.wire;
