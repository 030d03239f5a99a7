// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Compares the enumerations with the registries of assigned numbers. */
class RegistryTest {
  /**
   * IANA, "STUN Attributes": those of RFC 8489, 8656, 6062, 7635, 8016 and 5780, one of a draft.
   */
  private static final String ATTRIBUTES =
      """
      0001 MAPPED-ADDRESS
      0003 CHANGE-REQUEST
      0006 USERNAME
      0008 MESSAGE-INTEGRITY
      0009 ERROR-CODE
      000A UNKNOWN-ATTRIBUTES
      000C CHANNEL-NUMBER
      000D LIFETIME
      0012 XOR-PEER-ADDRESS
      0013 DATA
      0014 REALM
      0015 NONCE
      0016 XOR-RELAYED-ADDRESS
      0017 REQUESTED-ADDRESS-FAMILY
      0018 EVEN-PORT
      0019 REQUESTED-TRANSPORT
      001A DONT-FRAGMENT
      001B ACCESS-TOKEN
      001C MESSAGE-INTEGRITY-SHA256
      001D PASSWORD-ALGORITHM
      001E USERHASH
      0020 XOR-MAPPED-ADDRESS
      0022 RESERVATION-TOKEN
      0026 PADDING
      0027 RESPONSE-PORT
      002A CONNECTION-ID
      8000 ADDITIONAL-ADDRESS-FAMILY
      8001 ADDRESS-ERROR-CODE
      8002 PASSWORD-ALGORITHMS
      8003 ALTERNATE-DOMAIN
      8004 ICMP
      8022 SOFTWARE
      8023 ALTERNATE-SERVER
      8028 FINGERPRINT
      802B RESPONSE-ORIGIN
      802C OTHER-ADDRESS
      802E THIRD-PARTY-AUTHORIZATION
      8030 MOBILITY-TICKET
      8032 ADDITIONAL-ADDRESS-FAMILY-DRAFT
      """;

  @Test
  void attributes() {
    Set<String> ours = new TreeSet<>();
    for (StunAttribute type : StunAttribute.values()) {
      ours.add("%04X %s".formatted(type.code(), type.name().replace('_', '-')));
      assertSame(type, StunAttribute.of(type.code()));
      assertEquals(type.code() < 0x8000, type.isRequired());
    }
    assertEquals(ATTRIBUTES.lines().collect(Collectors.toCollection(TreeSet::new)), ours);
    for (int code = 0; code <= 0xffff; code++) {
      StunAttribute type = StunAttribute.of(code);
      assertEquals(ours.toString().contains("%04X ".formatted(code)), type != null);
    }
  }

  @Test
  void errors() {
    for (StunStatus status : StunStatus.values()) {
      String name = status.name().replace('_', ' ').toLowerCase(Locale.ROOT);
      assertEquals(status.reason().toLowerCase(Locale.ROOT), name);
    }
  }
}
