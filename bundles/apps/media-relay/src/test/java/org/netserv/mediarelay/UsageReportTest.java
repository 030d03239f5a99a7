// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.netserv.mediarelay.core.Account;
import org.netserv.mediarelay.core.AccountProbe;

/** Reports by docs/protocols/media-relay-usage.md. */
class UsageReportTest {
  private static final byte[] KEY = new byte[16];

  private final UsageReport report = new UsageReport(0x1234, KEY, () -> 1_700_000_000_000L);

  private static List<String> lines(byte[] datagram) {
    return List.of(new String(datagram, US_ASCII).split("\n", -1));
  }

  /** Checks head and code, and returns the lines between them. */
  private static List<String> users(byte[] datagram, int sequence) throws Exception {
    List<String> lines = lines(datagram);
    assertEquals("netserv-usage 1 0000000000001234 " + sequence + " 1700000000000", lines.get(0));
    assertEquals("", lines.get(lines.size() - 1));
    String code = lines.get(lines.size() - 2);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
    byte[] right =
        mac.doFinal(java.util.Arrays.copyOf(datagram, datagram.length - code.length() - 1));
    assertArrayEquals(right, HexFormat.of().parseHex(code.substring("hmac-sha256=".length())));
    return lines.subList(1, lines.size() - 2);
  }

  @Test
  void aUserIsToldThreeTimesAfterAChange() throws Exception {
    Account ann = AccountProbe.used("ann", 1, 1000);
    String line =
        "user=ann allocations=1 ended=0 seconds=0 packets-to-peers=1 bytes-to-peers=1000"
            + " packets-to-clients=1 bytes-to-clients=1000";
    for (int i = 1; i <= 3; i++) {
      assertEquals(List.of(line), users(report.datagrams(List.of(ann)).get(0), i));
    }
    assertEquals(List.of(), users(report.datagrams(List.of(ann)).get(0), 4));
    AccountProbe.end(ann, 7);
    String ended =
        line.replace("allocations=1 ended=0 seconds=0", "allocations=0 ended=1 seconds=7");
    assertEquals(List.of(ended), users(report.datagrams(List.of(ann)).get(0), 5));
  }

  @Test
  void nobodyIsOneDatagram() throws Exception {
    List<byte[]> datagrams = report.datagrams(List.of(AccountProbe.unused("ann")));
    assertEquals(1, datagrams.size());
    assertEquals(List.of(), users(datagrams.get(0), 1));
  }

  @Test
  void manyUsersAreInManyDatagramsAndEachIsWhole() throws Exception {
    List<Account> all =
        IntStream.range(0, 500).mapToObj(i -> AccountProbe.used("user" + i, i, 9L * i)).toList();
    List<String> told = new ArrayList<>();
    List<byte[]> datagrams = report.datagrams(all);
    for (int i = 0; i < datagrams.size(); i++) {
      assertTrue(datagrams.get(i).length <= UsageReport.BYTES_MOST);
      users(datagrams.get(i), i + 1).forEach(line -> told.add(line.split(" ", -1)[0]));
    }
    assertEquals(all.stream().map(a -> "user=" + a.user()).toList(), told);
  }

  @Test
  void aNameCannotWriteALineOfItsOwn() throws Exception {
    Account bad = AccountProbe.used("x\nuser=ann bytes=9%\u00e4", 1, 1);
    List<String> lines = users(report.datagrams(List.of(bad)).get(0), 1);
    assertEquals(1, lines.size());
    assertTrue(lines.get(0).startsWith("user=x%0Auser%3Dann%20bytes%3D9%25%C3%A4 allocations="));
    Account longest = AccountProbe.used("\n".repeat(600), 1, 1);
    assertTrue(report.datagrams(List.of(longest)).get(0).length < 2000);
  }
}
