// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.netserv.gist.conformance.Bytes.object;

import org.netserv.gist.SendRequest;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.wire.SessionId;

/** Many sessions of one flow, by number. */
final class Sessions {
  private Sessions() {}

  static String hex(int number) {
    return String.format("%032x", number + 0x1000);
  }

  /** The SID object. */
  static String of(int number) {
    return object("0001", hex(number));
  }

  static SendRequest reliable(int number) {
    return request(number, TransferAttributes.RELIABLE);
  }

  static SendRequest unreliable(int number) {
    return request(number, TransferAttributes.UNRELIABLE);
  }

  private static SendRequest request(int number, TransferAttributes attributes) {
    return new SendRequest(
        Bytes.of(Peer.PAYLOAD),
        number,
        Bench.NSLP,
        new SessionId(Bytes.of(hex(number))),
        Requests.FLOW,
        null,
        attributes,
        null,
        -1);
  }
}
