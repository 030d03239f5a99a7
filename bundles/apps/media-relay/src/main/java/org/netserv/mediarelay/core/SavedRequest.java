// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.nio.ByteBuffer;
import org.netserv.stun.PasswordAlgorithm;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunKey;

/** A request of a known user that is answered later. */
final class SavedRequest {
  private final ByteBuffer bytes;
  private final Client client;
  private final Allocation allocation;
  private final byte[] username;
  private final String user;
  private final StunKey key;
  private final PasswordAlgorithm algorithm;
  private final StunAttribute signature;

  SavedRequest(Exchange x) {
    int length = x.request.end() - x.request.start();
    byte[] copy = new byte[length];
    x.request.buffer().get(x.request.start(), copy);
    bytes = ByteBuffer.wrap(copy);
    client = x.client;
    allocation = x.allocation;
    username = x.username;
    user = x.user;
    key = x.key;
    algorithm = x.algorithm;
    signature = x.signature;
  }

  /** Makes it the request of an exchange again. */
  void restore(Exchange x, long now) {
    x.request.reset(bytes, 0, bytes.capacity());
    x.client = client;
    x.allocation = allocation;
    x.username = username;
    x.user = user;
    x.key = key;
    x.algorithm = algorithm;
    x.signature = signature;
    x.now = now;
    x.later = false;
  }
}
