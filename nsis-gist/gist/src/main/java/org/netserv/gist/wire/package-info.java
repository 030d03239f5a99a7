// SPDX-License-Identifier: Apache-2.0
/** The bytes of GIST: RFC 5971, appendix A. No I/O, no state. */
package org.netserv.gist.wire;
