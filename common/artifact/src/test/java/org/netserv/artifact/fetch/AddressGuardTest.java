// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.values.Addresses;
import org.netserv.values.Prefix;

class AddressGuardTest {
  private static AddressGuard guard(String allow, String deny) throws Exception {
    return new AddressGuard(list(allow), list(deny), Set.of(Addresses.parse("8.8.4.4")));
  }

  private static List<Prefix> list(String prefix) throws Exception {
    return prefix.isEmpty() ? List.of() : List.of(Prefix.parse(prefix));
  }

  private static boolean permits(AddressGuard guard, String address) throws Exception {
    return guard.refusal(Addresses.parse(address)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.9.9.9",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "8.8.4.4",
        "::",
        "::1",
        "fe80::1",
        "fec0::1",
        "fc00::1",
        "fdff::1",
        "ff02::1",
        "::ffff:10.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.4.4",
        "::10.0.0.1",
        "::8.8.8.8",
        "2002:a00:1::1",
        "2002:7f00:1::",
        "2002:808:404::1",
        "64:ff9b::10.0.0.1",
        "64:ff9b::169.254.169.254",
        "64:ff9b:1::8.8.8.8",
        "2001:0:1:2::1",
        "100::1"
      })
  void refuses(String address) throws Exception {
    assertFalse(permits(guard("", ""), address));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "8.8.8.8",
        "1.1.1.1",
        "100.63.255.255",
        "100.128.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "2606:4700::1111",
        "2a00:1450::1",
        "64:ff9b::8.8.8.8",
        "2002:808:808::1",
        "::ffff:8.8.8.8"
      })
  void permits(String address) throws Exception {
    assertTrue(permits(guard("", ""), address));
  }

  @Test
  void policyDecidesBeforeTheRegistries() throws Exception {
    assertTrue(permits(guard("10.1.0.0/16", ""), "10.1.2.3"));
    assertFalse(permits(guard("10.1.0.0/16", ""), "10.2.2.3"));
    assertTrue(permits(guard("10.1.0.0/16", ""), "::ffff:10.1.2.3"));
    assertTrue(permits(guard("8.8.4.4/32", ""), "8.8.4.4"));
    assertFalse(permits(guard("", "8.8.0.0/16"), "8.8.8.8"));
    assertFalse(permits(guard("", "8.8.0.0/16"), "64:ff9b::8.8.8.8"));
    assertEquals(
        "denied by the node's policy",
        guard("", "8.8.0.0/16").refusal(Addresses.parse("8.8.8.8")).orElse(""));
  }

  @Test
  void longerPrefixWinsAndDenyAtEqualLength() throws Exception {
    assertTrue(permits(guard("10.1.0.0/16", "10.0.0.0/8"), "10.1.0.1"));
    assertFalse(permits(guard("10.0.0.0/8", "10.1.0.0/16"), "10.1.0.1"));
    assertFalse(permits(guard("10.0.0.0/8", "10.0.0.0/8"), "10.1.0.1"));
  }
}
