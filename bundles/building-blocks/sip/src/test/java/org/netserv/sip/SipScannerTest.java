// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.netserv.values.AllocatedBytes;

class SipScannerTest {
  private static final String START = "NOTIFY sip:example.com SIP/2.0\r\n";

  private final SipScanner scanner = new SipScanner();
  private ByteBuffer buffer;

  private SipError scan(String message) {
    buffer = ByteBuffer.wrap(message.getBytes(StandardCharsets.ISO_8859_1));
    return scanner.reset(buffer, 0, buffer.limit());
  }

  private String text(int start, int end) {
    return new String(buffer.array(), start, end - start, StandardCharsets.ISO_8859_1);
  }

  private String value(SipHeader header) {
    int i = scanner.first(header);
    return text(scanner.valueStart(i), scanner.valueEnd(i));
  }

  @Test
  void requestLineAndHeaders() {
    assertEquals(
        SipError.OK, scan(START + "v: one\r\nVIA : two\r\nx-y:  \r\no:keep-alive\r\n\r\nab"));
    assertTrue(scanner.isRequest());
    assertEquals(SipMethod.NOTIFY, scanner.method());
    assertEquals("sip:example.com", text(scanner.uriStart(), scanner.uriEnd()));
    assertEquals(4, scanner.headers());
    assertEquals(2, scanner.count(SipHeader.VIA));
    assertEquals(1, scanner.next(scanner.first(SipHeader.VIA)));
    assertEquals(SipHeader.OTHER, scanner.header(2));
    assertEquals(scanner.valueStart(2), scanner.valueEnd(2));
    assertEquals("keep-alive", value(SipHeader.EVENT));
    assertEquals("ab", text(scanner.bodyStart(), scanner.bodyEnd()));
  }

  @Test
  void foldsBelongToTheValue() {
    assertEquals(SipError.OK, scan(START + "To:\r\n <sip:a@b>\r\n\t;tag=1  \r\nl:0\r\n\r\n"));
    assertEquals("<sip:a@b>\r\n\t;tag=1", value(SipHeader.TO));
    assertFalse(scanner.hasBareLf());
  }

  @Test
  void bareLfEndsALineAndIsTold() {
    assertEquals(SipError.OK, scan(START.replace("\r", "") + "To: x\n y\nl: 1\n\nz"));
    assertTrue(scanner.hasBareLf());
    assertEquals("x\n y", value(SipHeader.TO));
  }

  @Test
  void everyKnownNameInEveryForm() {
    for (SipHeader header : SipHeader.values()) {
      if (header != SipHeader.OTHER) {
        for (String name :
            new String[] {header.text(), header.text().toUpperCase(java.util.Locale.ROOT)}) {
          String value = header == SipHeader.CONTENT_LENGTH ? "0" : "x";
          assertEquals(SipError.OK, scan(START + name + ": " + value + "\r\n\r\n"));
          assertEquals(header, scanner.header(0));
        }
      }
    }
  }

  @Test
  void responses() {
    assertEquals(SipError.OK, scan("sip/2.0 180 \r\n\r\n"));
    assertEquals(180, scanner.status());
    assertFalse(scanner.isRequest());
    assertEquals(SipError.STATUS_CODE, scan("SIP/2.0 99 x\r\n\r\n"));
    assertEquals(SipError.STATUS_CODE, scan("SIP/2.0 700 x\r\n\r\n"));
    assertEquals(SipError.STATUS_CODE, scan("SIP/2.0 200\r\n\r\n"));
    assertEquals(SipError.VERSION, scan("SIP/3.0 200 OK\r\n\r\n"));
  }

  @Test
  void eachFaultHasItsName() {
    assertEquals(SipError.EMPTY, scan(""));
    assertEquals(SipError.RANGE, scanner.reset(ByteBuffer.allocate(4), 2, 5));
    assertEquals(SipError.RANGE, scanner.reset(ByteBuffer.allocate(4), 3, 2));
    assertEquals(SipError.METHOD, scan("\r\n\r\n"));
    assertEquals(SipError.METHOD, scan("NOTIFY\r\n\r\n"));
    assertEquals(SipError.START_LINE, scan("NOTIFY sip:a\r\n\r\n"));
    assertEquals(SipError.START_LINE, scan("NOTIFY sip:a SIP/2.0 \r\n\r\n"));
    assertEquals(SipError.REQUEST_URI, scan("NOTIFY sip:\u0001 SIP/2.0\r\n\r\n"));
    assertEquals(SipError.VERSION, scan("NOTIFY sip:a SIP/2.1\r\n\r\n"));
    assertEquals(SipError.HEADER_NAME, scan(START + " folded: nothing\r\n\r\n"));
    assertEquals(SipError.HEADER_NAME, scan(START + ": x\r\n\r\n"));
    assertEquals(SipError.HEADER_COLON, scan(START + "To\r\n\r\n"));
    assertEquals(SipError.BARE_CR, scan(START + "To: a\rVia: b\r\n\r\n"));
    assertEquals(SipError.NO_EMPTY_LINE, scan(START + "To: a\r\n"));
    assertEquals(SipError.CONTENT_LENGTH, scan(START + "l: 1x\r\n\r\n"));
    assertEquals(SipError.CONTENT_LENGTH, scan(START + "l: 4294967297\r\n\r\n"));
    assertEquals(SipError.CONTENT_LENGTH_BEYOND, scan(START + "l: 2\r\n\r\nx"));
    assertEquals(SipError.CONTENT_LENGTH_REPEATED, scan(START + "l: 0\r\nl: 0\r\n\r\n"));
  }

  @Test
  void asManyHeadersAsThereArePlaces() {
    assertEquals(SipError.OK, scan(START + "a: b\r\n".repeat(SipScanner.HEADERS_DEFAULT) + "\r\n"));
    assertEquals(
        SipError.TOO_MANY_HEADERS,
        scan(START + "a: b\r\n".repeat(SipScanner.HEADERS_DEFAULT + 1) + "\r\n"));
  }

  @Test
  void bytesBehindContentLengthArePadding() {
    assertEquals(SipError.OK, scan(START + "l: 2\r\n\r\nabcd"));
    assertEquals("ab", text(scanner.bodyStart(), scanner.bodyEnd()));
  }

  @Test
  void lineEndIsFoundAtEveryDistance() {
    for (int length = 0; length < 40; length++) {
      for (char mark : new char[] {'\r', '\n'}) {
        String line =
            "\u000b\u000c\u000e\u008d\u008a".repeat(8).substring(0, length) + mark + "\r\n";
        ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.ISO_8859_1));
        assertEquals(length, Ascii.lineEnd(bytes, 0, bytes.limit()));
        assertEquals(length, Ascii.lineEnd(bytes, 0, length));
      }
    }
  }

  @Test
  void scanningAllocatesNothing() throws IOException {
    byte[] bytes = Torture.messages().get("wsinv");
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
    assertEquals(0, AllocatedBytes.least(() -> repeat(100_000, direct)));
  }

  private final SipVia via = new SipVia();
  private final SipAddress address = new SipAddress();
  private final SipCseq cseq = new SipCseq();
  private final SipUri uri = new SipUri();

  private void repeat(int times, ByteBuffer direct) {
    for (int i = 0; i < times; i++) {
      assertTrue(work(direct));
    }
  }

  private boolean work(ByteBuffer direct) {
    int done = scanner.reset(direct, 0, direct.limit()) == SipError.OK ? 1 : 0;
    int i = scanner.first(SipHeader.VIA);
    done += via.reset(direct, scanner.valueStart(i), scanner.valueEnd(i)) == SipError.OK ? 1 : 0;
    int j = scanner.first(SipHeader.TO);
    done +=
        address.reset(direct, scanner.valueStart(j), scanner.valueEnd(j)) == SipError.OK ? 1 : 0;
    int k = scanner.first(SipHeader.CSEQ);
    done += cseq.reset(direct, scanner.valueStart(k), scanner.valueEnd(k)) == SipError.OK ? 1 : 0;
    done += uri.reset(direct, scanner.uriStart(), scanner.uriEnd()) == SipError.OK ? 1 : 0;
    return done == 5;
  }
}
