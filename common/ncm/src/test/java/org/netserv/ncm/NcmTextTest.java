// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.values.PortRange;

class NcmTextTest {
  /** The example of the NetServ paper, as it stands. */
  static final String PAPER =
      """
      SETUP NetServ.apps.NetMonitor_1.0.0 NETSERV/0.1
      dependencies:
      filter-port:5060
      filter-proto:udp
      notification:
      properties:visualizer_ip=1.2.3.4,visualizer_port=5678
      ttl:3600
      user:janedoe
      url:http://content-publisher.com/modules/netmonitor.jar
      signature:4Z+HvDEm2WhHJrg9UKovwmMutxGibsA71FTMFykVaOYxGclG8o=

      """;

  @Test
  void readsThePapersExample() throws NcmException {
    Ncm ncm = NcmText.parse(PAPER);
    assertSame(Method.SETUP, ncm.method());
    assertEquals("NetServ.apps.NetMonitor", ncm.name());
    assertEquals("1.0.0", ncm.version());
    assertEquals("0.1", ncm.protocol());
    assertEquals(List.of(), ncm.dependencies());
    assertEquals(List.of(new PortRange(5060, 5060)), ncm.filterPorts());
    assertEquals(List.of(17), ncm.filterProtos());
    assertEquals(Optional.empty(), ncm.notification());
    assertTrue(ncm.has(Header.NOTIFICATION));
    assertEquals(Map.of("visualizer_ip", "1.2.3.4", "visualizer_port", "5678"), ncm.properties());
    assertEquals(3600, ncm.ttl().getAsInt());
    assertEquals("janedoe", ncm.user().orElseThrow());
    assertEquals(
        URI.create("http://content-publisher.com/modules/netmonitor.jar"), ncm.url().orElseThrow());
    assertEquals(37, ncm.signature().orElseThrow().length);
    NcmRules.check(ncm, true);
  }

  @Test
  void crLfEndsALineLikeLf() throws NcmException {
    assertEquals(NcmText.parse(PAPER), NcmText.parse(PAPER.replace("\n", "\r\n")));
  }

  @Test
  void everyCutIsRefused() {
    for (int length = 0; length < PAPER.length(); length++) {
      String cut = PAPER.substring(0, length);
      assertEquals(400, assertThrows(NcmException.class, () -> NcmText.parse(cut)).status(), cut);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|request line",
        "SETUP|request line",
        "SETUP a|request line",
        "SETUP  a NETSERV/1.0|request line",
        "SETUP a NETSERV/1.0 x|request line",
        "setup a NETSERV/1.0|unknown method",
        "TRIGGER a NETSERV/1.0|unknown method",
        "SETUP a NETSERV/2.0|unknown protocol",
        "SETUP a NETSERV/1.00|unknown protocol",
        "SETUP a HTTP/1.1|request line",
        "SETUP a/../b NETSERV/1.0|symbolic name",
        "SETUP .. NETSERV/1.0|symbolic name",
        "SETUP *_1.0.0 NETSERV/1.0|symbolic name",
        "SETUP bücher NETSERV/1.0|symbolic name",
      })
  void badRequestLines(String line, String reason) {
    NcmException refusal = assertThrows(NcmException.class, () -> NcmText.parse(line + "\n\n"));
    assertEquals(400, refusal.status());
    assertTrue(refusal.getMessage().startsWith("request line: "), refusal.getMessage());
    assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "NetServ.apps.NetMonitor_1.0.0,NetServ.apps.NetMonitor,1.0.0",
    "my_app,my_app,",
    "my_app_1,my_app_1,",
    "my_app_1.0,my_app_1.0,",
    "my_app_1.0.0,my_app,1.0.0",
    "a_1.0.0.rc_1,a,1.0.0.rc_1",
    "a_01.0.0,a_01.0.0,",
  })
  void theVersionBeginsAtTheFirstUnderscoreThatCanStartOne(String text, String name, String version)
      throws NcmException {
    Ncm ncm = NcmText.parse("REMOVE " + text + " NETSERV/1.0\n\n");
    assertEquals(name, ncm.name());
    assertEquals(version, ncm.version());
    assertEquals(text, ncm.fullName());
  }

  @Test
  void aNameThatWouldReadBackAsAnotherIsRefused() {
    Ncm.Builder hidden = Ncm.builder(Method.REMOVE, "a_1.0.0");
    assertTrue(
        assertThrows(NcmException.class, hidden::build).getMessage().contains("read as others"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ttl 3600", " ttl:3600", "TTL:3600", "x-ttl:1", ":1", "ttl :1", "filter_port:1"})
  void linesThatAreNoHeader(String line) {
    NcmException refusal =
        assertThrows(
            NcmException.class, () -> NcmText.parse("SETUP a NETSERV/1.0\n" + line + "\n\n"));
    assertTrue(
        refusal.getMessage().matches("unknown header .*|line 2 has no colon.*"),
        refusal.getMessage());
  }

  @Test
  void aHeaderTwiceIsNamed() {
    NcmException refusal =
        assertThrows(
            NcmException.class,
            () -> NcmText.parse("SETUP a NETSERV/1.0\nttl:1\nuser:b\nttl:1\n\n"));
    assertEquals("ttl: given twice", refusal.getMessage());
    assertSame(Header.TTL, refusal.header().orElseThrow());
  }

  @Test
  void carriageReturnInsideAValueIsNamed() {
    for (String value : new String[] {"jane\rdoe", "\rjane", "jane\r\r"}) {
      String text = "SETUP a NETSERV/1.0\r\nuser:" + value + "\n\n";
      NcmException refusal = assertThrows(NcmException.class, () -> NcmText.parse(text));
      assertEquals("user: a control character 0x0d in the value", refusal.getMessage());
    }
  }

  @Test
  void aNameHasALimit() throws NcmException {
    String longest = "a".repeat(128) + "_1.0.0." + "q".repeat(58);
    assertEquals(longest, NcmText.parse("REMOVE " + longest + " NETSERV/1.0\n\n").fullName());
    for (String name : new String[] {"a".repeat(129), longest + "q", "_".repeat(16_000)}) {
      String text = "REMOVE " + name + " NETSERV/1.0\n\n";
      NcmException refusal = assertThrows(NcmException.class, () -> NcmText.parse(text));
      assertTrue(refusal.getMessage().startsWith("request line: "), refusal.getMessage());
    }
  }

  @Test
  void nothingMayFollowTheBlankLine() {
    for (String more : new String[] {"\n", "x", "ttl:1\n", "\r\n"}) {
      NcmException refusal = assertThrows(NcmException.class, () -> NcmText.parse(PAPER + more));
      assertEquals("something follows the blank line", refusal.getMessage());
    }
  }

  @Test
  void tooLongIs413() {
    String filler = "x".repeat(Ncm.MAX_BYTES);
    assertEquals(413, assertThrows(NcmException.class, () -> NcmText.parse(filler + "x")).status());
    assertEquals(
        413,
        assertThrows(NcmException.class, () -> NcmText.parse(filler.replace('x', 'é'))).status());
    assertEquals(400, assertThrows(NcmException.class, () -> NcmText.parse(filler)).status());
    Ncm.Builder builder =
        Messages.setup()
            .set(Header.PROPERTIES, "a=" + "x".repeat(9000))
            .set(Header.SEALED, "AAAA".repeat(2000));
    assertEquals(413, assertThrows(NcmException.class, builder::build).status());
  }

  @Test
  void bytesThatAreNotUtf8() {
    byte[] bytes = PAPER.getBytes(StandardCharsets.UTF_8);
    bytes[PAPER.indexOf("janedoe")] = (byte) 0xc0;
    assertEquals(400, assertThrows(NcmException.class, () -> NcmText.parse(bytes)).status());
  }

  @Test
  void printedInOrderOfTypeWithLf() throws NcmException {
    Ncm ncm = NcmText.parse(PAPER);
    assertEquals(
        PAPER
            .replace("user:janedoe\n", "")
            .replace(".jar\n", ".jar\nuser:janedoe\n")
            .replace("xGclG8o=", "xGclG8g=="),
        NcmText.print(ncm));
    assertArrayEquals(ncm.signedBytes(), NcmText.parse(NcmText.print(ncm)).signedBytes());
  }
}
