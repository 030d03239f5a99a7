// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.values.AllocatedBytes;

/** Reads a request, checks its credentials with another key each time, and writes the answer. */
class AllocationTest {
  private static final int ROUNDS = 20_000;
  private static final long NOW = 1_800_000_000L;

  private final StunKey[] keys = {StunKey.shortTerm("a"), StunKey.shortTerm("b")};
  private final ByteBuffer in = ByteBuffer.allocateDirect(500);
  private final ByteBuffer out = ByteBuffer.allocateDirect(500);
  private final StunMessage message = new StunMessage();
  private final StunWriter writer = new StunWriter();
  private final Integrity integrity = new Integrity();
  private final Fingerprint fingerprint = new Fingerprint();
  private final StunAddress address = new StunAddress();
  private final UnknownAttributes unknown = new UnknownAttributes();
  private final EnumSet<StunAttribute> known = EnumSet.allOf(StunAttribute.class);
  private final LongTermServer server =
      new LongTermServer(
          "example.org",
          List.of((buffer, start, end, algorithm) -> keys[0]),
          new Nonces(new byte[16], 600, 3600, NonceCookie.PASSWORD_ALGORITHMS));
  private int wrong;

  @Test
  void nothingIsAllocated() {
    writer.begin(in, 0, 500, StunMethod.ALLOCATE, StunClass.REQUEST, 1, 2);
    StunBytes.put(writer, StunAttribute.USERNAME, "joe".getBytes(StandardCharsets.US_ASCII));
    StunAddress.put(writer, StunAttribute.XOR_PEER_ADDRESS, 1, 2, 3);
    server.challenge(writer, 0, 9, 5000, NOW);
    PasswordAlgorithm.SHA256.put(writer);
    integrity.put(writer, StunAttribute.MESSAGE_INTEGRITY_SHA256, keys[0]);
    fingerprint.put(writer);
    int length = writer.length();
    run(length);
    assertEquals(0, AllocatedBytes.least(() -> run(length)));
    assertEquals(0, wrong);
  }

  private void run(int length) {
    for (int i = 0; i < ROUNDS; i++) {
      boolean right =
          message.reset(in, 0, length) == StunError.OK
              && fingerprint.holds(message)
              && unknown.collect(message, known) == 0
              && address.get(message, StunAttribute.XOR_PEER_ADDRESS)
              && server.check(message, 0, 9, 5000, NOW) == Standing.AUTHENTICATED
              && !integrity.holds(message, StunAttribute.MESSAGE_INTEGRITY_SHA256, keys[1]);
      writer.answer(out, 0, 500, message, StunClass.SUCCESS);
      StunAddress.put(writer, StunAttribute.XOR_RELAYED_ADDRESS, 0, i, i & 0xffff);
      Lifetime.put(writer, 600);
      server.challenge(writer, 0, 9, 5000, NOW);
      server.sign(writer, server.answerWith(), server.key());
      fingerprint.put(writer);
      wrong += right && writer.fits() ? 0 : 1;
    }
  }
}
