// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist;

import java.net.InetAddress;
import java.util.HexFormat;

/**
 * Source identification information: a peer and its interface (RFC 5971 section 7.1.2). Equal
 * handles are the same peer by the same interface.
 *
 * @param peerIdentity as in its NLI, in hexadecimal
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record SiiHandle(String peerIdentity, InetAddress address, int interfaceIndex) {
  /** The handle of the sender of an NLI. */
  public static SiiHandle of(byte[] peerIdentity, InetAddress address, int interfaceIndex) {
    return new SiiHandle(HexFormat.of().formatHex(peerIdentity), address, interfaceIndex);
  }
}
