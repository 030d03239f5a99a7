// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.dns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.servicerouter.Datagrams;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

class ServiceRecordTest {
  private static final Name ZONE = ServiceName.zone("serval.example");
  private static final Endpoint FOUR = Endpoint.ofIpv4(0xc0000207, 54325);
  private static final Endpoint SIX = new Endpoint(0x20010db8L << 32, 7, 1);

  private static List<String> names(ServicePrefix prefix) {
    return ServiceName.of(prefix, ZONE).stream().map(Name::toString).toList();
  }

  @Test
  void namesOfPrefixes() throws IOException {
    assertEquals(List.of("*.serval.example."), names(ServicePrefix.DEFAULT));
    assertEquals(List.of("*.1.0.0.4.serval.example."), names(Datagrams.prefix("4001")));
    assertEquals(
        List.of("*.a.4.serval.example.", "*.b.4.serval.example."),
        names(new ServicePrefix(ServiceId.parse("4a"), 7)));
    assertEquals(8, names(new ServicePrefix(ServiceId.parse("8"), 1)).size());
    String whole = names(ServicePrefix.of(Datagrams.SHOP)).get(0);
    assertEquals("0.".repeat(56) + "1.0.0.4.0.0.0.0.serval.example.", whole);
    assertEquals(whole, ServiceName.of(Datagrams.SHOP, ZONE).toString());
    assertThrows(IllegalArgumentException.class, () -> ServiceName.zone("a".repeat(64)));
    String longest = ("b".repeat(30) + ".").repeat(4);
    assertEquals(125, ServiceName.zone(longest).length());
    assertEquals(253, ServiceName.of(Datagrams.SHOP, ServiceName.zone(longest)).length());
    assertThrows(IllegalArgumentException.class, () -> ServiceName.zone("c." + longest + "d"));
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    for (Endpoint target : List.of(FOUR, SIX)) {
      for (ServiceRecord record :
          List.of(
              new ServiceRecord(target, 0, 1, 256, Long.MAX_VALUE),
              new ServiceRecord(target, 65_534, 65_535, 0, 1))) {
        Name owner = ServiceName.of(Datagrams.SHOP, ZONE);
        assertEquals(record, ServiceRecord.of(wire(record.svcb(owner, 9))));
        assertEquals(record, ServiceRecord.of(wire(record.txt(owner, 9))));
      }
    }
  }

  private static Record wire(Record record) throws IOException {
    return Record.fromWire(record.toWire(Section.ANSWER), Section.ANSWER);
  }

  private static Record of(int type, String text) throws IOException {
    return Record.fromString(Name.root, type, DClass.IN, 9, text, Name.root);
  }

  @Test
  void recordsThatPeopleWrite() throws IOException {
    Record svcb = of(Type.SVCB, "65525 . port=54325 ipv4hint=192.0.2.7,192.0.2.8");
    assertEquals(new ServiceRecord(FOUR, 10, 1, 256, Long.MAX_VALUE), ServiceRecord.of(svcb));
    Record txt = of(Type.TXT, "serval1 target=192.0.2.7:54325 note=any weight=3");
    assertEquals(new ServiceRecord(FOUR, 0, 3, 256, Long.MAX_VALUE), ServiceRecord.of(txt));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0 other.example.",
        "1 . ipv4hint=192.0.2.7",
        "1 . port=54325",
        "1 . port=0 ipv4hint=192.0.2.7",
        "1 . port=1 ipv4hint=192.0.2.7 key65400=x",
        "1 . port=1 ipv4hint=192.0.2.7 key65401=ab",
        "1 . mandatory=alpn alpn=h2 port=1 ipv4hint=192.0.2.7"
      })
  void svcbThatIsNone(String text) throws IOException {
    assertNull(ServiceRecord.of(of(Type.SVCB, text)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "serval2 target=192.0.2.7:1",
        "serval1",
        "serval1 target=192.0.2.7",
        "serval1 target=example.org:1",
        "serval1 target=192.0.2.777:1",
        "serval1 target=192.0.2.7:0",
        "serval1 target=192.0.2.7:70000",
        "serval1 target=192.0.2.7:1 weight=65536",
        "serval1 target=192.0.2.7:1 weight=-1",
        "serval1 target=192.0.2.7:1 bits=257",
        "serval1 target=192.0.2.7:1 priority=65535",
        "serval1 target=192.0.2.7:1 until=soon"
      })
  void textThatIsNone(String text) throws IOException {
    assertNull(ServiceRecord.of(of(Type.TXT, text)));
  }

  /** Broken answers have an exception of their library, or records that are none, and no other. */
  @Test
  void mutants() throws IOException {
    Random random = new Random(3);
    Name owner = ServiceName.of(Datagrams.SHOP, ZONE);
    ServiceRecord record = new ServiceRecord(SIX, 1, 2, 3, 4);
    Message good = Message.newQuery(Record.newRecord(owner, Type.SVCB, DClass.IN));
    good.addRecord(record.svcb(owner, 9), Section.ANSWER);
    good.addRecord(record.txt(owner, 9), Section.ANSWER);
    byte[] bytes = good.toWire();
    int read = 0;
    for (int i = 0; i < 100_000; i++) {
      byte[] bad = bytes.clone();
      for (int j = random.nextInt(3); j >= 0; j--) {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt();
      }
      try {
        for (Record each : new Message(bad).getSection(Section.ANSWER)) {
          ServiceRecord mutant = ServiceRecord.of(each);
          read += mutant != null && mutant.bits() <= 256 ? 1 : 0;
        }
      } catch (IOException | RuntimeException e) {
        read += 0; // as DnsExchange does
      }
    }
    assertEquals(true, read > 1000);
  }
}
