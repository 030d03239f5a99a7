// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import java.time.Duration;
import org.netserv.gist.SendRequest;
import org.netserv.gist.SiiHandle;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.gist.wire.SessionId;

/** Requests of an application. */
final class Requests {
  static final PathCoupledMri FLOW =
      PathCoupledMri.between(Bench.address("10.0.0.9"), Bench.address("10.0.9.9"));
  static final PathCoupledMri FLOW6 =
      PathCoupledMri.between(Bench.address("2001:db8::9"), Bench.address("2001:db8:9::9"));
  static final SessionId SID = new SessionId(Bytes.of(Peer.SID.substring(8)));

  private Requests() {}

  /** Returns a request for Peer.PAYLOAD along the flow, by any transport. */
  static SendRequest unreliable() {
    return of(FLOW, TransferAttributes.UNRELIABLE);
  }

  static SendRequest reliable() {
    return of(FLOW, TransferAttributes.RELIABLE);
  }

  static SendRequest of(Mri mri, TransferAttributes attributes) {
    return of(Peer.PAYLOAD, "a", mri, attributes);
  }

  static SendRequest of(String payload, Object handle, Mri mri, TransferAttributes attributes) {
    return new SendRequest(
        Bytes.of(payload), handle, Bench.NSLP, SID, mri, null, attributes, null, -1);
  }

  static SendRequest within(Duration timeout) {
    return new SendRequest(
        Bytes.of(Peer.PAYLOAD),
        "a",
        Bench.NSLP,
        SID,
        FLOW,
        null,
        TransferAttributes.UNRELIABLE,
        timeout,
        -1);
  }

  static SendRequest hops(int hops) {
    return new SendRequest(
        Bytes.of(Peer.PAYLOAD),
        "a",
        Bench.NSLP,
        SID,
        FLOW,
        null,
        TransferAttributes.UNRELIABLE,
        null,
        hops);
  }

  /** Returns a request by handle, without routing state. */
  static SendRequest to(SiiHandle peer) {
    return new SendRequest(
        Bytes.of(Peer.PAYLOAD),
        "a",
        Bench.NSLP,
        SID,
        FLOW,
        peer,
        TransferAttributes.UNRELIABLE,
        null,
        -1);
  }
}
