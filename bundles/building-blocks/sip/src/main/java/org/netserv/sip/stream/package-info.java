// SPDX-License-Identifier: Apache-2.0
/**
 * A server for users' TCP streams, each of which leads on to a SIP server. {@link
 * org.netserv.sip.stream.StreamServer} accepts them and bounds them; a module extends {@link
 * org.netserv.sip.stream.StreamPair} by what it does with the bytes.
 *
 * <pre>
 *   user ----> StreamPair ---> toServer ---> server
 *   user <---- toUser <------ StreamPair <--- server
 * </pre>
 */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.0.0")
package org.netserv.sip.stream;
