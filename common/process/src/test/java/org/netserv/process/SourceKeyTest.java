// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourceKeyTest {
  @ParameterizedTest
  @CsvSource({
    "192.0.2.7, 192.0.2.7, 192.0.2.0/24",
    "::ffff:192.0.2.7, 192.0.2.7, 192.0.2.0/24",
    "2001:db8:1:2:3:4:5:6, 2001:db8:1:2:0:0:0:0/64, 2001:db8:1:0:0:0:0:0/48",
    "2001:db8:1:2::ffff, 2001:db8:1:2:0:0:0:0/64, 2001:db8:1:0:0:0:0:0/48",
    "fe80::1, fe80:0:0:0:0:0:0:0/64, fe80:0:0:0:0:0:0:0/48"
  })
  void cutsWhatAHostChooses(String address, String host, String network)
      throws UnknownHostException {
    SourceKey key = SourceKey.of(InetAddress.getByName(address));
    assertEquals(host, key.host());
    assertEquals(network, key.network());
  }
}
