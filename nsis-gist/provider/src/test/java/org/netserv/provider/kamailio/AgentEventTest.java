// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.kamailio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.provider.kamailio.AgentEvent.Kind;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;

/** The line protocol of docs/protocols/provider.md. */
class AgentEventTest {
  private static final List<String> GOOD =
      List.of(
          "1 register alice 198.51.100.2 1024 600",
          "1 register alice@example.com 2001:db8::1 5060 0",
          "1 keepalive 198.51.100.2 65535",
          "1 keepalive [2001:db8::1] 1",
          "1 gone alice 198.51.100.2 1024");

  @Test
  void eachKindReads() throws BadValueException {
    assertEquals(
        new AgentEvent(Kind.REGISTER, "alice", Addresses.parse("198.51.100.2"), 1024, 600),
        AgentEvent.read(GOOD.get(0)));
    assertEquals(
        new AgentEvent(Kind.KEEPALIVE, "", Addresses.parse("2001:db8::1"), 1, 0),
        AgentEvent.read(GOOD.get(3)));
    assertEquals(
        new AgentEvent(Kind.GONE, "alice", Addresses.parse("198.51.100.2"), 1024, 0),
        AgentEvent.read(GOOD.get(4)));
  }

  @Test
  void aVeryLongRegistrationIsAWeek() throws BadValueException {
    assertEquals(604_800, AgentEvent.read("1 register a 192.0.2.1 1 2147483647").expires());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2 keepalive 192.0.2.1 1       | version",
        "1 hello 192.0.2.1 1           | kind",
        "1                             | kind",
        "1 keepalive 192.0.2.1         | keepalive: 3 words",
        "1 keepalive 192.0.2.1 1 2     | keepalive: 5 words",
        "1 keepalive example.com 1     | ADDRESS",
        "1 keepalive 192.0.2.1 0       | PORT",
        "1 keepalive 192.0.2.1 65536   | PORT",
        "1 keepalive 192.0.2.1 -1      | PORT",
        "1 register a 192.0.2.1 1 x    | EXPIRES",
        "1 register a 192.0.2.1 1 4294967296 | EXPIRES",
        "1 register  192.0.2.1 1 60    | AOR"
      })
  void aWrongWordIsNamed(String line, String word) {
    BadValueException refusal =
        assertThrows(BadValueException.class, () -> AgentEvent.read(line.strip()));
    assertTrue(refusal.getMessage().startsWith(word), refusal.getMessage());
  }

  @Test
  void aLineThatIsCutReadsAsARefusalOrAsShorterNumbersAlone() {
    for (String line : GOOD) {
      for (int length = 0; length < line.length(); length++) {
        readOrRefuse(line.substring(0, length));
      }
    }
    assertThrows(BadValueException.class, () -> AgentEvent.read("1 ".repeat(300)));
  }

  @Test
  void randomLinesAreReadOrRefused() {
    Random random = new Random(11);
    String letters = "1 register keepalive gone 192.0.2.1 5060 :[]\t\u0000\u00e9\ud800-+";
    for (int round = 0; round < 200_000; round++) {
      StringBuilder line = new StringBuilder();
      if (round % 2 == 0) {
        line.append(GOOD.get(random.nextInt(GOOD.size())));
        line.setCharAt(
            random.nextInt(line.length()), letters.charAt(random.nextInt(letters.length())));
      } else {
        for (int i = random.nextInt(60); i > 0; i--) {
          line.append(letters.charAt(random.nextInt(letters.length())));
        }
      }
      readOrRefuse(line.toString());
    }
  }

  private static void readOrRefuse(String line) {
    try {
      AgentEvent event = AgentEvent.read(line);
      assertTrue(event.port() >= 1 && event.port() <= 65535);
      assertTrue(event.expires() >= 0);
    } catch (BadValueException e) {
      assertNotNull(e.getMessage());
    }
  }
}
