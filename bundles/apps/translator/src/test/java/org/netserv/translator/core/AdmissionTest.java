// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class AdmissionTest {
  private static final Limits LIMITS = new Limits(5, 2, 1, 1, 1, 0);

  private final Admission admission = new Admission();

  private Outcome enter(String address) throws UnknownHostException {
    return admission.enter(InetAddress.getByName(address), LIMITS);
  }

  @Test
  void aSourceHasItsShareAndAllHaveTheWhole() throws UnknownHostException {
    assertNull(enter("192.0.2.1"));
    assertNull(enter("192.0.2.1"));
    assertEquals(Outcome.SOURCE_FULL, enter("192.0.2.1"));
    assertNull(enter("192.0.2.2"));
    assertNull(enter("192.0.2.2"));
    assertNull(enter("192.0.2.3"));
    assertEquals(Outcome.CONNECTIONS_FULL, enter("192.0.2.4"));
    assertEquals(5, admission.taken());
    admission.leave(InetAddress.getByName("192.0.2.1"));
    assertNull(enter("192.0.2.1"));
  }

  @Test
  void allOfASlash64AreOneSource() throws UnknownHostException {
    assertNull(enter("2001:db8::1"));
    assertNull(enter("2001:db8::2"));
    assertEquals(Outcome.SOURCE_FULL, enter("2001:db8::ffff:3"));
    assertNull(enter("2001:db8:0:1::1"));
  }

  /** An IPv4 address is never the same source as an IPv6 one. */
  @Test
  void familiesAreApart() throws UnknownHostException {
    assertNull(enter("0.0.0.1"));
    assertNull(enter("0.0.0.1"));
    assertNull(enter("0:0:0:1::1"));
  }

  @Test
  void whoLeavesIsForgotten() throws UnknownHostException {
    for (int i = 0; i < 1000; i++) {
      InetAddress address = InetAddress.getByAddress(new byte[] {10, 0, (byte) (i >> 8), (byte) i});
      assertNull(admission.enter(address, LIMITS));
      admission.leave(address);
    }
    assertEquals(0, admission.taken());
  }
}
