// SPDX-License-Identifier: Apache-2.0
package org.netserv.nslp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The value types by themselves: addresses, prefixes, ports, versions, properties, filters. */
class ValuesTest {
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
      byte[] bytes = Messages.address(random);
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

  @Test
  void dependenciesSplitOutsideBrackets() throws BadValueException {
    List<Dependency> list = Dependency.parseList("a;[1,2),b,c.d_e;1.2.3.q");
    assertEquals(3, list.size());
    assertEquals("a;[1.0.0,2.0.0)", list.get(0).toString());
    assertEquals(VersionRange.ANY, list.get(1).range());
    assertEquals("c.d_e;1.2.3.q", list.get(2).toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "k=a\\,b|a,b",
        "k=a=b|a=b",
        "k=a\\=b|a=b",
        "k=\\\\|\\",
        "k=\\\\\\,|\\,",
        "k=|''",
        "k== |'= '",
        "k=:|:"
      },
      ignoreLeadingAndTrailingWhitespace = false)
  void propertyEscapes(String text, String value) throws BadValueException {
    assertEquals(Map.of("k", value), PropertyList.parse(text));
    assertEquals(Map.of("k", value), PropertyList.parse(PropertyList.print(Map.of("k", value))));
  }

  @Test
  void propertiesKeepTheirOrderAndEscapeTheirKeys() throws BadValueException {
    Map<String, String> map = PropertyList.parse("z=1,a\\=b\\,c=2,m=3");
    assertEquals(List.of("z", "a=b,c", "m"), new ArrayList<>(map.keySet()));
    assertEquals("z=1,a\\=b\\,c=2,m=3", PropertyList.print(map));
    assertThrows(UnsupportedOperationException.class, () -> map.put("x", "y"));
    Random random = new Random(11);
    for (int i = 0; i < 5000; i++) {
      Map<String, String> any = Messages.properties(random);
      assertEquals(any, PropertyList.parse(PropertyList.print(any)));
    }
  }

  @Test
  void tooManyProperties() {
    StringBuilder text = new StringBuilder("k=");
    for (int i = 0; i < PropertyList.MAX_COUNT; i++) {
      text.append(",k").append(i).append('=');
    }
    BadValueException refusal =
        assertThrows(BadValueException.class, () -> PropertyList.parse(text.toString()));
    assertEquals("more than 128 properties", refusal.getMessage());
  }

  @Test
  void filtersHoldTogether() throws BadValueException {
    Prefix four = Prefix.parse("192.0.2.0/24");
    Prefix six = Prefix.parse("2001:db8::/32");
    PortRange port = new PortRange(5060, 5060);
    assertEquals(17, new FlowFilter(4, 17, null, four, null, port, 0, false).protocol());
    bad(() -> new FlowFilter(6, 17, null, four, null, port, 0, false));
    bad(() -> new FlowFilter(4, 17, six, four, null, port, 0, false));
    bad(() -> new FlowFilter(4, 17, null, null, null, port, 0, false));
    bad(() -> new FlowFilter(4, 1, null, four, null, port, 0, false));
    bad(() -> new FlowFilter(4, 0, null, four, port, null, 0, false));
    bad(() -> new FlowFilter(4, 17, null, four, null, null, 0, true));
    bad(() -> new FlowFilter(4, 17, null, four, null, null, -1, false));
    bad(() -> new FlowFilter(5, 17, null, four, null, null, 0, false));
    bad(() -> new FlowFilter(4, 256, null, four, null, null, 0, false));
  }

  private static void bad(Executable maker) {
    assertThrows(IllegalArgumentException.class, maker);
  }
}
