// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.net.InetAddress;
import java.security.KeyPair;
import java.time.Instant;
import java.util.List;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmBinary;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmRules;
import org.netserv.ncm.NcmSigner;
import org.netserv.ncm.NcmText;
import org.netserv.ncm.ResponseStack;
import org.netserv.values.NodeIdentity;
import org.netserv.values.PublisherKeys;

/**
 * Reads, checks and answers messages of nobody. A virtual machine that has just started loads the
 * classes of an admission then. Otherwise the first publisher's SETUP would pay for that with a
 * tenth of a second.
 */
public final class NcmWarmUp {
  /** The first round loads classes. The next ones find what the first one has left to be done. */
  private static final int ROUNDS = 3;

  private NcmWarmUp() {}

  /** Warms up on the caller's thread, for some tenths of a second of a processor. */
  public static void run(NodeIdentity identity) {
    try {
      for (PublisherKeys.Algorithm algorithm : PublisherKeys.Algorithm.values()) {
        KeyPair key = PublisherKeys.generate(algorithm);
        for (int i = 0; i < ROUNDS; i++) {
          round(key, identity);
        }
      }
    } catch (NcmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void round(KeyPair key, NodeIdentity identity) throws NcmException {
    Ncm signed = NcmSigner.sign(message(), key.getPrivate());
    Ncm read = NcmText.parse(NcmText.print(NcmBinary.decode(NcmBinary.encode(signed))));
    NcmRules.check(read, true);
    if (!Signatures.verifies(read, key.getPublic())) {
      throw new IllegalStateException("a signature of this virtual machine does not verify");
    }
    NcmLedger.sha256(read.signedBytes());
    ResponseStack.of(List.of())
        .push(identity, read.nonce().orElseThrow(), InetAddress.getLoopbackAddress(), 200, "{}");
  }

  private static Ncm message() throws NcmException {
    return Ncm.builder(Method.SETUP, "org.netserv.warm-up")
        .version("1.0.0")
        .set(Header.USER, "warm-up")
        .set(Header.URL, "https://publisher.example/warm-up.jar")
        .set(Header.DIGEST, "0".repeat(64))
        .set(Header.TO, "192.0.2.1")
        .set(Header.TTL, 3600)
        .set(Header.SEQ, 1)
        .set(Header.FILTER_PROTO, "udp")
        .set(Header.FILTER_PORT, "5060")
        .date(Instant.EPOCH)
        .nonce(new byte[Ncm.NONCE_BYTES])
        .build();
  }
}
