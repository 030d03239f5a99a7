// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SipValueTest {
  private ByteBuffer buffer;

  private int set(String text) {
    buffer = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    return buffer.limit();
  }

  private String text(int start, int end) {
    return new String(buffer.array(), start, end - start, StandardCharsets.ISO_8859_1);
  }

  @Test
  void viaWithFoldsAndASecondOne() {
    int end =
        set(
            "SIP  / 2.0\r\n  /UDP  [2001:db8::9] : 5070 ;received=2001:db8::1;rport=99; branch = z9 , SIP/2.0/TCP b");
    SipVia via = new SipVia();
    assertEquals(SipError.OK, via.reset(buffer, 0, end));
    assertEquals("UDP", text(via.transportStart(), via.transportEnd()));
    assertEquals("[2001:db8::9]", text(via.host().start(), via.host().hostEnd()));
    assertEquals(5070, via.host().port());
    assertEquals(6, via.host().literal().family());
    assertEquals("2001:db8::1", text(via.receivedStart(), via.receivedEnd()));
    assertEquals(99, via.rport());
    assertEquals("z9", text(via.branchStart(), via.branchEnd()));
    assertEquals(SipError.OK, via.reset(buffer, via.nextStart(), end));
    assertEquals("TCP", text(via.transportStart(), via.transportEnd()));
    assertEquals(SipVia.RPORT_ABSENT, via.rport());
    assertEquals(-1, via.nextStart());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SIP/2.0/UDP                    | VIA_PROTOCOL",
        "SIP/3.0/UDP a                  | VIA_PROTOCOL",
        "HTTP/2.0/UDP a                 | VIA_PROTOCOL",
        "SIP/2.0/UDP ;branch=z          | VIA_SENT_BY",
        "SIP/2.0/UDP a:0                | VIA_SENT_BY",
        "SIP/2.0/UDP a:65536            | VIA_SENT_BY",
        "SIP/2.0/UDP [::1               | VIA_SENT_BY",
        "SIP/2.0/UDP [nonsense]         | VIA_SENT_BY",
        "SIP/2.0/UDP a;                 | PARAMETER",
        "SIP/2.0/UDP a;branch=          | PARAMETER",
        "SIP/2.0/UDP a;rport=x          | PARAMETER",
        "SIP/2.0/UDP a;x=\"open         | QUOTE",
        "SIP/2.0/UDP a;rport;rport      | PARAMETER_REPEATED",
        "SIP/2.0/UDP a;received=1;received=2 | PARAMETER_REPEATED",
        "SIP/2.0/UDP a b                | PARAMETER",
        "SIP/2.0/UDP a,                 | VIA_PROTOCOL"
      })
  void badVias(String value, SipError error) {
    int end = set(value);
    assertEquals(error, new SipVia().reset(buffer, 0, end));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sip:a@b;tag=1                          | sip:a@b | 1",
        "<sip:a@b;tag=no>;x;TAG = yes           | sip:a@b;tag=no | yes",
        "\"a <b> \\\" c\" <sip:x>               | sip:x | ''",
        "A B <sip:x> ; y=\"z;tag=2\"            | sip:x | ''",
        "caller<sip:caller@example.com>;tag=323 | sip:caller@example.com | 323"
      })
  void addresses(String value, String uri, String tag) {
    SipAddress address = new SipAddress();
    int end = set(value);
    assertEquals(SipError.OK, address.reset(buffer, 0, end));
    assertEquals(uri, text(address.uriStart(), address.uriEnd()));
    assertEquals(!tag.isEmpty(), address.hasTag());
    assertEquals(tag, text(address.tagStart(), address.tagEnd()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "<sip:a",
        "\"open <sip:a>",
        "\"a\" sip:b",
        "<sip:a> b",
        "<sip:a>, <sip:b>",
        "Bell, A <sip:a>",
        "sip:a;tag=1;tag=2",
        "sip:a;tag",
        "< sip:a >",
        "sip:a;;tag=1"
      })
  void badAddresses(String value) {
    int end = set(value);
    assertFalse(new SipAddress().reset(buffer, 0, end) == SipError.OK);
  }

  @Test
  void uris() {
    SipUri uri = new SipUri();
    int end = set("sip:user;par=u%40x:pw@example.com:99;lr?a=b");
    assertEquals(SipError.OK, uri.reset(buffer, 0, end));
    assertTrue(uri.isSip() && uri.hasUser());
    assertEquals("example.com", text(uri.host().start(), uri.host().hostEnd()));
    assertEquals(99, uri.host().port());
    assertEquals(";lr?a=b", text(uri.tailStart(), uri.end()));
    end = set("SIPS:[2001:db8::1]");
    assertEquals(SipError.OK, uri.reset(buffer, 0, end));
    assertTrue(uri.isSips() && !uri.hasUser() && !uri.isSip());
    end = set("tel:+1");
    assertEquals(SipError.OK, uri.reset(buffer, 0, end));
    assertFalse(uri.isSip() || uri.isSips());
  }

  @ParameterizedTest
  @CsvSource({
    "example.com, URI_SCHEME", "1sip:a, URI_SCHEME", "sip:, URI_HOST", "sip:@a, URI_USER",
        "sip:a@, URI_HOST",
    "sip:a@b@c, URI_TAIL", "sip:a:0, URI_PORT", "sip:a b, URI_TAIL", "sip:a/b, URI_TAIL",
        "sip:[::g], URI_HOST"
  })
  void badUris(String value, SipError error) {
    int end = set(value);
    assertEquals(error, new SipUri().reset(buffer, 0, end));
  }

  @Test
  void sequenceNumbers() {
    SipCseq cseq = new SipCseq();
    int end = set("0009\r\n  INVITE");
    assertEquals(SipError.OK, cseq.reset(buffer, 0, end));
    assertEquals(9, cseq.number());
    assertEquals("INVITE", text(cseq.methodStart(), cseq.methodEnd()));
    end = set("2147483647 A");
    assertEquals(SipError.OK, cseq.reset(buffer, 0, end));
    for (String bad : new String[] {"2147483648 A", "36893488147419103232 A", "-1 A", " A", ""}) {
      end = set(bad);
      assertEquals(SipError.CSEQ_NUMBER, cseq.reset(buffer, 0, end), bad);
    }
    for (String bad : new String[] {"1", "1A", "1 ", "1 A B", "1 A,"}) {
      end = set(bad);
      assertEquals(SipError.CSEQ_METHOD, cseq.reset(buffer, 0, end), bad);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "192.0.2.1",
        "0.0.0.0",
        "255.255.255.255",
        "::",
        "::1",
        "1::",
        "2001:db8::1:0:0:1",
        "1:2:3:4:5:6:7:8",
        "64:ff9b::192.0.2.33",
        "1:2:3:4:5:6:7::",
        "::2:3:4:5:6:7:8",
        "1:2:3:4:5:6:192.0.2.1",
        "[2001:DB8::A]"
      })
  void literalsAgreeWithTheJdk(String text) throws Exception {
    IpLiteral literal = new IpLiteral();
    int end = set(text);
    literal.reset(buffer, 0, end);
    byte[] bytes = InetAddress.getByName(text).getAddress();
    assertEquals(bytes.length == 4 ? 4 : 6, literal.family());
    ByteBuffer expected = ByteBuffer.wrap(bytes);
    if (bytes.length == 4) {
      assertEquals(0xffff00000000L | (expected.getInt() & 0xffffffffL), literal.low());
    } else {
      assertEquals(expected.getLong(), literal.high());
      assertEquals(expected.getLong(), literal.low());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.256",
        "01.2.3.4",
        "1..2.3",
        "1.2.3.4.",
        "a",
        ":",
        ":::",
        "1::2::3",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7:",
        ":1",
        "12345::",
        "::1.2.3",
        "::1.2.3.4:5",
        "fe80::1%0",
        "[]",
        "[1.2.3.4]",
        "1:2:3:4:5:6:7:8::"
      })
  void notLiterals(String text) {
    IpLiteral literal = new IpLiteral();
    int end = set(text);
    literal.reset(buffer, 0, end);
    assertEquals(0, literal.family());
  }

  @Test
  void nonsenseNeverThrows() {
    Random random = new Random(3261);
    String alphabet = "SIP/2.0UDP:;=,<>\"\\@[]: \t\r\n192az%-";
    for (int round = 0; round < 200_000; round++) {
      StringBuilder text = new StringBuilder(random.nextBoolean() ? "SIP/2.0/UDP a" : "");
      for (int i = random.nextInt(24); i > 0; i--) {
        text.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      int end = set(text.toString());
      Probe.value(buffer, 0, end);
    }
  }
}
