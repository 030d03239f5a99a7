// SPDX-License-Identifier: Apache-2.0
/**
 * Messages between a server's load monitor and the edges, {@code
 * docs/protocols/overload-feedback.md} in Java. Both directions are here, so that the monitor uses
 * this package as well. It needs the JDK alone.
 */
package org.netserv.overload.feedback;
