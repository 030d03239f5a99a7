// SPDX-License-Identifier: Apache-2.0
/**
 * GIST (RFC 5971) for signaling applications: the service interface of appendix B. Everything here
 * is called on one thread, the GIST thread.
 */
package org.netserv.gist;
