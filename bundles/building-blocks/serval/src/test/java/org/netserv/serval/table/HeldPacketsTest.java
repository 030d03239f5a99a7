// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

class HeldPacketsTest {
  private static final ServiceId A = ServiceId.parse("aa");
  private static final ServiceId B = ServiceId.parse("ab");

  private final HeldPackets<String> held = new HeldPackets<>(new HeldPackets.Limits(4, 3, 2, 100));

  private static Endpoint from(int host, int port) {
    return Endpoint.ofIpv4(host, port);
  }

  @Test
  void everyLimitByItsName() {
    assertEquals(HoldRefusal.OK, held.hold("1", A, from(1, 5), 0));
    assertEquals(HoldRefusal.OK, held.hold("2", B, from(1, 6), 0));
    assertEquals(HoldRefusal.SOURCE_FULL, held.hold("3", B, from(1, 7), 0)); // ports do not count
    assertEquals(HoldRefusal.OK, held.hold("4", A, from(2, 5), 0));
    assertEquals(HoldRefusal.OK, held.hold("5", A, from(3, 5), 0));
    assertEquals(HoldRefusal.FULL, held.hold("6", B, from(4, 5), 0));
    assertEquals(List.of("2"), held.release(ServicePrefix.of(B)));
    assertEquals(HoldRefusal.ID_FULL, held.hold("7", A, from(4, 5), 0));
    assertEquals(HoldRefusal.OK, held.hold("8", B, from(1, 5), 0)); // room again
    assertEquals(List.of("1", "4", "5", "8"), held.release(ServicePrefix.DEFAULT));
    assertEquals(0, held.size());
  }

  @Test
  void aPacketWaitsForItsTime() {
    held.hold("1", A, from(1, 5), 0);
    held.hold("2", A, from(1, 5), 50);
    assertEquals(List.of(), held.expire(99));
    assertEquals(List.of("1"), held.expire(100));
    assertEquals(1, held.refusals().of(HoldRefusal.LATE));
    assertEquals(List.of("2"), held.release(new ServicePrefix(A, 4)));
    assertEquals(List.of(), held.expire(1000));
    assertEquals(HoldRefusal.OK, held.hold("3", A, from(1, 5), 1000));
    assertEquals(HoldRefusal.OK, held.hold("4", A, from(1, 5), 1000));
  }
}
