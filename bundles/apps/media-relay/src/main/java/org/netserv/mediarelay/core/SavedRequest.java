// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.nio.ByteBuffer;
import org.netserv.stun.StunAttribute;

/** A request of a known user that is answered later. */
final class SavedRequest {
  private final ByteBuffer bytes;
  private final Client client;
  private final Allocation allocation;
  private final Login login;
  private final String user;
  private final StunAttribute signature;

  SavedRequest(Exchange x) {
    int length = x.request.end() - x.request.start();
    byte[] copy = new byte[length];
    x.request.buffer().get(x.request.start(), copy);
    bytes = ByteBuffer.wrap(copy);
    client = x.client;
    allocation = x.allocation;
    login = x.login;
    user = x.user;
    signature = x.signature;
  }

  /** Makes it the request of an exchange again. */
  void restore(Exchange x, long now) {
    x.request.reset(bytes, 0, bytes.capacity());
    x.client = client;
    x.allocation = allocation;
    x.login = login;
    x.user = user;
    x.signature = signature;
    x.now = now;
    x.later = false;
  }
}
