// SPDX-License-Identifier: Apache-2.0
/**
 * The NetServ signaling application's own messages: the envelope in which an NCM and the answers to
 * it travel over GIST, and the parts that long ones are cut into. The wire format is in {@code
 * docs/protocols/nslp.md}; immutable, safe for use by any thread, without I/O.
 */
package org.netserv.nslp;
