// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/** DONT-FRAGMENT (RFC 8656, 18.9): its presence is all. */
public final class DontFragment {
  private DontFragment() {}

  public static boolean isPresent(StunMessage message) {
    return message.has(StunAttribute.DONT_FRAGMENT);
  }

  public static void put(StunWriter writer) {
    writer.add(StunAttribute.DONT_FRAGMENT, 0);
  }
}
