// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.controller.log.ModuleKey;
import org.netserv.filter.FlowFilter;
import org.netserv.values.BadValueException;
import org.netserv.values.PortRange;
import org.netserv.values.Prefix;

/** Precedence among overlapping filters, and the lines of the spawner's protocol. */
final class FilterTableTest {
  private static FilterTable.Claim claim(String prefix, long since, String user, int queue)
      throws BadValueException {
    Prefix destination = Prefix.parse(prefix);
    FlowFilter filter =
        new FlowFilter(
            destination.family(), 17, null, destination, null, new PortRange(5060, 5061), 0, false);
    return new FilterTable.Claim(filter, queue, false, since, 0, new ModuleKey(user, "m"));
  }

  @Test
  void aProgramIsTheLastWordOfALine() throws BadValueException {
    Prefix prefix = Prefix.parse("192.0.2.0/24");
    FlowFilter filter =
        new FlowFilter(4, 17, null, prefix, null, null, 7, false, "6:0:0:1", null, 0);
    assertEquals(
        List.of("family=4 proto=17 dst=192.0.2.0/24 queue=4 sample=7 match=6:0:0:1"),
        FilterTable.lines(
            List.of(new FilterTable.Claim(filter, 4, false, 1, 0, new ModuleKey("user", "m")))));
  }

  @Test
  void whatIsOnlyCountedHasNoPlane() throws BadValueException {
    Prefix prefix = Prefix.parse("192.0.2.0/24");
    FlowFilter filter =
        new FlowFilter(4, 17, null, prefix, null, null, 7, false, null, "src,ttl", 0);
    assertEquals(
        List.of("family=4 proto=17 dst=192.0.2.0/24 queue=4 count=src,ttl"),
        FilterTable.lines(
            List.of(
                new FilterTable.Claim(
                    filter.counted(), 4, true, 1, 5, new ModuleKey("user", "m")))));
  }

  @Test
  void longestPrefixThenOlderClaimThenName() throws BadValueException {
    List<FilterTable.Claim> claims =
        new ArrayList<>(
            List.of(
                claim("192.0.2.0/24", 10, "late", 2),
                claim("192.0.2.0/24", 5, "early", 4),
                claim("192.0.2.7/32", 99, "narrow", 6),
                claim("192.0.0.0/16", 1, "wide", 8),
                claim("192.0.2.0/24", 10, "also", 10),
                claim("2001:db8::/64", 3, "six", 12)));
    List<String> expected =
        List.of(
            "family=6 proto=17 dst=2001:db8::/64 dport=5060-5061 queue=12",
            "family=4 proto=17 dst=192.0.2.7/32 dport=5060-5061 queue=6",
            "family=4 proto=17 dst=192.0.2.0/24 dport=5060-5061 queue=4",
            "family=4 proto=17 dst=192.0.2.0/24 dport=5060-5061 queue=10",
            "family=4 proto=17 dst=192.0.2.0/24 dport=5060-5061 queue=2",
            "family=4 proto=17 dst=192.0.0.0/16 dport=5060-5061 queue=8");
    for (int seed = 0; seed < 50; seed++) {
      Collections.shuffle(claims, new Random(seed));
      assertEquals(expected, FilterTable.lines(claims));
    }
  }

  @Test
  void printsAllKeys() throws BadValueException {
    FlowFilter filter =
        new FlowFilter(
            4,
            6,
            Prefix.parse("10.0.0.0/8"),
            Prefix.parse("192.0.2.1"),
            new PortRange(1, 9),
            new PortRange(80, 80),
            100,
            true);
    assertEquals(
        List.of(
            "family=4 proto=6 dst=192.0.2.1/32 src=10.0.0.0/8 dport=80-80 sport=1-9 queue=2 sample=100"),
        FilterTable.lines(
            List.of(new FilterTable.Claim(filter, 2, false, 0, 0, new ModuleKey("u", "m")))));
    FlowFilter web = FlowFilter.take(Prefix.parse("192.0.2.0/24"), 80, 8080);
    assertEquals(
        List.of("family=4 proto=6 dst=192.0.2.0/24 dport=80-80 queue=2 take=8080"),
        FilterTable.lines(
            List.of(new FilterTable.Claim(web, 2, true, 0, 77, new ModuleKey("u", "m")))));
    FlowFilter any = new FlowFilter(6, 0, null, Prefix.parse("::/0"), null, null, 0, false);
    assertEquals(
        List.of("family=6 proto=0 dst=::/0 queue=2 plane=afxdp claim=77"),
        FilterTable.lines(
            List.of(new FilterTable.Claim(any, 2, true, 0, 77, new ModuleKey("u", "m")))));
  }
}
