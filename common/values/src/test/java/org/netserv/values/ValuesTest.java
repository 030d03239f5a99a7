// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The value types by themselves: addresses, prefixes, ports, versions. */
class ValuesTest {
  @ParameterizedTest
  @CsvSource({
    "default,default",
    "00004001/32,00004001/32",
    "00004001/36,000040010/36",
    "AB/9,ab0/9",
    "8/1,8/1",
    "f/8,f0/8"
  })
  void serviceIdPrefixes(String text, String printed) throws BadValueException {
    ServiceIdPrefix prefix = ServiceIdPrefix.parse(text);
    assertEquals(printed, prefix.toString());
    assertEquals(prefix, ServiceIdPrefix.parse(prefix.toString()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "/", "00", "00/0", "00/257", "00/", "/8", "0x/8", "01/7", "c/1", "00/08", "Default",
        "00/8/8"
      })
  void noServiceIdPrefixes(String text) {
    assertThrows(BadValueException.class, () -> ServiceIdPrefix.parse(text));
    String long65 = "0".repeat(65) + "/256";
    assertThrows(BadValueException.class, () -> ServiceIdPrefix.parse(long65));
  }

  /** Literals and their RFC 5952 text. */
  @ParameterizedTest
  @CsvSource({
    "0.0.0.0,0.0.0.0",
    "255.255.255.255,255.255.255.255",
    "::,::",
    "::1,::1",
    "1::,1::",
    "2001:0db8::0001,2001:db8::1",
    "2001:db8:0:0:0:0:2:1,2001:db8::2:1",
    "2001:db8:0:1:1:1:1:1,2001:db8:0:1:1:1:1:1",
    "2001:0:0:1:0:0:0:1,2001:0:0:1::1",
    "2001:db8:0:0:1:0:0:1,2001:db8::1:0:0:1",
    "2001:DB8::ABCD,2001:db8::abcd",
    "0:0:0:0:0:0:0:0,::",
    "1:0:0:0:0:0:0:0,1::",
    "::ffff:192.0.2.1,192.0.2.1",
    "::ffff:c000:0201,192.0.2.1",
    "0:0:0:0:0:FFFF:192.0.2.1,192.0.2.1",
    "::192.0.2.1,::c000:201",
    "64:ff9b::192.0.2.33,64:ff9b::c000:221",
    "1:2:3:4:5:6:7::,1:2:3:4:5:6:7:0",
    "::2:3:4:5:6:7:8,0:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:1.2.3.4,1:2:3:4:5:6:102:304"
  })
  void addresses(String text, String canonical) throws BadValueException {
    assertEquals(canonical, Addresses.print(Addresses.parse(text)));
  }

  @Test
  void printedAddressesReadBack() throws BadValueException {
    Random random = new Random(10);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = RandomValues.address(random);
      String text = Addresses.print(Addresses.of(bytes));
      assertArrayEquals(Addresses.of(bytes).getAddress(), Addresses.parse(text).getAddress(), text);
    }
  }

  @Test
  void prefixesContain() throws BadValueException {
    Prefix net = Prefix.parse("192.0.2.0/25");
    assertTrue(net.contains(Addresses.parse("192.0.2.127")));
    assertFalse(net.contains(Addresses.parse("192.0.2.128")));
    assertTrue(net.contains(Addresses.parse("::ffff:192.0.2.1")));
    assertFalse(net.contains(Addresses.parse("2001:db8::1")));
    assertTrue(net.contains(Prefix.parse("192.0.2.64/26")));
    assertFalse(net.contains(Prefix.parse("192.0.2.0/24")));
    assertTrue(net.overlaps(Prefix.parse("192.0.2.0/24")));
    assertFalse(net.overlaps(Prefix.parse("192.0.2.128/25")));
    assertTrue(Prefix.parse("0.0.0.0/0").contains(Addresses.parse("255.0.0.1")));
    assertFalse(Prefix.parse("::/0").contains(Addresses.parse("::ffff:192.0.2.1")));
    Prefix six = Prefix.parse("2001:db8:8000::/33");
    assertTrue(six.contains(Addresses.parse("2001:db8:ffff::1")));
    assertFalse(six.contains(Addresses.parse("2001:db8:7fff::1")));
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1,192.0.2.1/32,4",
    "2001:db8::1,2001:db8::1/128,6",
    "::ffff:192.0.2.0/120,192.0.2.0/24,4",
    "::ffff:0:0/96,0.0.0.0/0,4",
    "::ffff:192.0.2.1/128,192.0.2.1/32,4",
    "::/0,::/0,6",
    "2001:DB8::/32,2001:db8::/32,6"
  })
  void prefixesHaveOneForm(String text, String canonical, int family) throws BadValueException {
    assertEquals(canonical, Prefix.parse(text).toString());
    assertEquals(family, Prefix.parse(text).family());
    assertEquals(Prefix.parse(text), Prefix.parse(canonical));
  }

  @Test
  void portRanges() throws BadValueException {
    assertEquals(new PortRange(5060, 5061), PortRange.parse("5060-5061"));
    assertEquals("5060", PortRange.parse("5060-5060").toString());
    assertTrue(new PortRange(1, 65535).contains(new PortRange(5060, 5061)));
    assertFalse(new PortRange(5061, 5062).contains(5060));
    assertFalse(new PortRange(1, 2).overlaps(new PortRange(3, 4)));
    assertThrows(IllegalArgumentException.class, () -> new PortRange(0, 1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1.2|1.2.0|true",
        "1.2|1.1.9|false",
        "1.2|99.0.0|true",
        "[1.2,2)|2.0.0|false",
        "[1.2,2)|1.2.0|true",
        "(1.2,2]|1.2.0|false",
        "(1.2,2]|2.0.0|true",
        "[1,1]|1.0.0|true",
        "[1.0.0.a,1.0.0.b)|1.0.0.aa|true",
        "[1,2)|2.0.0.a|false",
        "0|0.0.0|true"
      })
  void versionRanges(String range, String version, boolean contained) throws BadValueException {
    assertEquals(contained, VersionRange.parse(range).contains(Version.parse(version)));
    assertEquals(
        VersionRange.parse(range), VersionRange.parse(VersionRange.parse(range).toString()));
  }
}
