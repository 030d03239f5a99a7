// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.values.AllocatedBytes;

class SipResponseTest {
  private static final byte[] STATUS = ascii("503 Service Unavailable");
  private static final byte[] MORE = ascii("Retry-After: 2\r\n");
  private static final String REQUEST =
      """
      INVITE sip:bob@example.com SIP/2.0
      v: SIP/2.0/UDP 10.0.0.9:5070;branch=z9hG4bKa1;rport, SIP/2.0/UDP x.example;branch=z9hG4bKb
      Via: SIP/2.0/TCP [2001:db8::7];branch=z9hG4bKc
      To: Bob <sip:bob@example.com>
      f: <sip:alice@example.com>;tag=88
      i: 3848276298220188511@10.0.0.9
      CSeq: 2 INVITE
      Max-Forwards: 70
      l: 0

      """;
  private static final long MAPPED = 0xffffL << 32;

  private final SipScanner scanner = new SipScanner();
  private final SipTransaction values = new SipTransaction(42);
  private final SipResponse response = new SipResponse(7);
  private final SipWriter out = new SipWriter(2048);
  private ByteBuffer buffer;

  private static byte[] ascii(String text) {
    return text.replace("\n", "\r\n").replace("\r\r", "\r").getBytes(StandardCharsets.ISO_8859_1);
  }

  private SipError read(String text) {
    buffer = ByteBuffer.wrap(ascii(text));
    SipError error = scanner.reset(buffer, 0, buffer.limit());
    return error == SipError.OK ? values.reset(buffer, scanner) : error;
  }

  private long key(String text) {
    assertEquals(SipError.OK, read(text), text);
    return values.key();
  }

  private String write(boolean tag) {
    response.reset(buffer, scanner, values, 0, MAPPED | 0xc6336402L, 40000);
    out.clear();
    response.write(out, STATUS, tag, MORE);
    assertTrue(out.fits());
    return new String(out.bytes(), 0, out.length(), StandardCharsets.ISO_8859_1);
  }

  @Test
  void everyHeaderOf8262() {
    assertEquals(SipError.OK, read(REQUEST));
    String expected =
        """
        SIP/2.0 503 Service Unavailable
        Via: SIP/2.0/UDP 10.0.0.9:5070;branch=z9hG4bKa1;rport=40000;received=198.51.100.2, \
        SIP/2.0/UDP x.example;branch=z9hG4bKb
        Via: SIP/2.0/TCP [2001:db8::7];branch=z9hG4bKc
        From: <sip:alice@example.com>;tag=88
        To: Bob <sip:bob@example.com>;tag=TAG
        Call-ID: 3848276298220188511@10.0.0.9
        CSeq: 2 INVITE
        Retry-After: 2
        Content-Length: 0

        """;
    String written = write(true).replaceAll("tag=[0-9a-f]{16}", "tag=TAG");
    assertEquals(expected.replace("\n", "\r\n"), written);
    assertEquals(write(true), write(true)); // a repetition gets the same
    assertFalse(write(false).contains(">;tag=TAG"));
  }

  @Test
  void aResponseIsScannedAndHasTheKeyOfItsRequest() {
    long key = key(REQUEST);
    assertEquals(key, key(write(true)));
  }

  @Test
  void keysByTheRulesOf1723() {
    long key = key(REQUEST);
    assertEquals(key, key(REQUEST.replace("INVITE", "ACK")));
    assertEquals(key, key(REQUEST.replace("2 INVITE", "9 INVITE"))); // the branch alone counts
    assertNotEquals(key, key(REQUEST.replace("z9hG4bKa1", "z9hG4bKa2")));
    assertNotEquals(key, key(REQUEST.replace("10.0.0.9:5070", "10.0.0.9:5071")));
    assertNotEquals(key, key(REQUEST.replace("10.0.0.9:5070", "10.0.0.8:5070")));
    long cancel = key(REQUEST.replace("INVITE", "CANCEL"));
    assertNotEquals(key, cancel);
    assertEquals(key, values.invite());
    assertNotEquals(key(REQUEST.replace("INVITE", "FOO")), key(REQUEST.replace("INVITE", "BAR")));
  }

  @Test
  void keysByTheRulesOfRfc2543() {
    String old = REQUEST.replace("z9hG4bK", "");
    long key = key(old);
    assertFalse(values.hasCookie());
    assertEquals(key, key(old.replace("INVITE", "ACK").replace("bob@example.com>", "$0>;tag=9")));
    assertNotEquals(key, key(old.replace("2 INVITE", "3 INVITE")));
    assertNotEquals(key, key(old.replace("tag=88", "tag=89")));
    assertNotEquals(key, key(old.replace("3848", "3849")));
  }

  @Test
  void aRequestWithoutOneOfTheValuesHasNoKey() {
    for (String name : new String[] {"To", "f", "i", "CSeq"}) {
      String without = REQUEST.replaceAll("(?m)^" + name + ": .*\n", "");
      assertNotEquals(SipError.OK, read(without), name);
      String twice = REQUEST.replaceAll("(?m)^(" + name + ": .*\n)", "$1$1");
      assertNotEquals(SipError.OK, read(twice), name);
    }
    assertNotEquals(SipError.OK, read(REQUEST.replaceAll("(?m)^(v|Via): .*\n", "")));
    assertEquals(SipError.CSEQ_METHOD, read(REQUEST.replace("2 INVITE", "2 BYE")));
  }

  @Test
  void addressesAsRfc5952() {
    assertEquals("2001:db8::7", address(0x20010db800000000L, 7));
    assertEquals("::", address(0, 0));
    assertEquals("2001:0:0:1::1", address(0x2001000000000001L, 1));
    assertEquals("1:2:3:4:5:6:7:8", address(0x0001000200030004L, 0x0005000600070008L));
    assertEquals("fe80::", address(0xfe80L << 48, 0));
  }

  private String address(long high, long low) {
    out.clear();
    out.address(high, low);
    return new String(out.bytes(), 0, out.length(), StandardCharsets.US_ASCII);
  }

  @Test
  void tooSmallAWriterSaysSo() {
    assertEquals(SipError.OK, read(REQUEST));
    int whole = write(true).length();
    for (int room = 0; room < whole; room += 7) {
      SipWriter small = new SipWriter(room);
      response.write(small, STATUS, true, MORE);
      assertFalse(small.fits());
    }
  }

  @Test
  void tortureAndMutantsNeverThrow() throws IOException {
    Random random = new Random(4475);
    for (byte[] message : Torture.messages().values()) {
      for (int i = 0; i < 400; i++) {
        byte[] mutant = message.clone();
        for (int j = i == 0 ? 0 : 1 + random.nextInt(4); j > 0; j--) {
          mutant[random.nextInt(mutant.length)] = (byte) random.nextInt(256);
        }
        buffer = ByteBuffer.wrap(mutant);
        if (scanner.reset(buffer, 0, buffer.limit()) == SipError.OK
            && values.reset(buffer, scanner) == SipError.OK) {
          response.reset(buffer, scanner, values, 0, 1, 1);
          out.clear();
          response.write(out, STATUS, true, MORE);
          long key = values.key();
          if (out.fits() && scanner.isRequest() && !scanner.hasBareLf()) {
            answered(key);
          }
        }
      }
    }
  }

  /** Reads the response back: it must be a whole message with the key of its request. */
  private void answered(long key) {
    ByteBuffer answer = ByteBuffer.wrap(out.bytes(), 0, out.length());
    assertEquals(SipError.OK, scanner.reset(answer, 0, out.length()));
    assertEquals(SipError.OK, values.reset(answer, scanner));
    assertEquals(key, values.key());
    assertEquals(503, scanner.status());
  }

  @Test
  void nothingIsAllocated() {
    assertEquals(SipError.OK, read(REQUEST));
    ByteBuffer request = buffer;
    SipOverload overload = new SipOverload();
    Runnable work =
        () -> {
          for (int i = 0; i < 20_000; i++) {
            scanner.reset(request, 0, request.limit());
            values.reset(request, scanner);
            overload.reset(request, values.top());
            response.reset(request, scanner, values, 0, 1, 1);
            out.clear();
            response.write(out, STATUS, true, MORE);
          }
        };
    work.run();
    assertEquals(0, AllocatedBytes.least(work));
  }
}
