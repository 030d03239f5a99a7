// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages in a stream: Content-Length says where one ends and the next begins. */
class StreamTest {
  private static final String INVITE =
      "INVITE sip:a@example.com SIP/2.0\r\nTo: <sip:a@example.com>\r\nl: 4\r\n\r\nv=0\n";
  private static final String RINGING =
      "SIP/2.0 180 Ringing\r\nTo: <sip:a@example.com>;tag=1\r\nContent-Length: 0\r\n\r\n";
  private static final String UNKNOWN = "X-METHOD tel:1 SIP/2.0\r\nl : 0\r\n\r\n";

  private final SipScanner scanner = new SipScanner();

  private SipError scan(String stream) {
    ByteBuffer buffer = ByteBuffer.wrap(Mutants.bytes(stream));
    return scanner.resetStream(buffer, 0, buffer.limit());
  }

  @Test
  void oneAfterTheOtherWithPingsBetween() {
    String stream = "\r\n\r\n" + INVITE + RINGING + "\r\n\r\n" + UNKNOWN + "\r\n";
    ByteBuffer buffer = ByteBuffer.wrap(Mutants.bytes(stream));
    List<String> found = new ArrayList<>();
    int at = 0;
    while (scanner.resetStream(buffer, at, buffer.limit()) == SipError.OK) {
      found.add(stream.substring(scanner.messageStart(), scanner.bodyEnd()));
      at = scanner.bodyEnd();
    }
    assertEquals(List.of(INVITE, RINGING, UNKNOWN), found);
    assertEquals(SipError.MORE, scanner.resetStream(buffer, at, buffer.limit()));
    assertEquals(buffer.limit(), scanner.messageStart());
  }

  @Test
  void everyPrefixWantsMore() {
    for (String message : new String[] {INVITE, RINGING, UNKNOWN}) {
      for (int cut = 0; cut < message.length(); cut++) {
        assertEquals(SipError.MORE, scan(message.substring(0, cut)), message + cut);
      }
      assertEquals(SipError.OK, scan(message));
      assertEquals(SipError.OK, scan(message + "garbage \0\r"));
      assertEquals(message.length(), scanner.bodyEnd());
    }
  }

  @Test
  void aHeadTellsHowFarTheMessageGoes() {
    assertEquals(SipError.MORE, scan(INVITE.substring(0, INVITE.length() - 4)));
    assertEquals(INVITE.length(), scanner.bodyEnd());
  }

  @Test
  void withoutContentLengthNobodyKnowsTheEnd() {
    assertEquals(SipError.CONTENT_LENGTH_ABSENT, scan(INVITE.replace("l: 4\r\n", "")));
    assertEquals(SipError.CONTENT_LENGTH_REPEATED, scan(INVITE.replace("l: 4", "l: 4\r\nl: 4")));
    assertEquals(SipError.CONTENT_LENGTH, scan(INVITE.replace("l: 4", "l: -4")));
    assertEquals(SipError.RANGE, scanner.resetStream(ByteBuffer.allocate(4), 0, 5));
    assertEquals(SipError.RANGE, scanner.resetStream(ByteBuffer.allocate(4), -1, 2));
    assertEquals(SipError.RANGE, scanner.resetStream(ByteBuffer.allocate(4), 3, 2));
  }

  /** In a stream a message is refused as in a datagram, once it is whole. */
  @Test
  void mutantsNeverThrowAndAgreeWithTheDatagram() throws IOException {
    Mutants mutants = new Mutants(5626);
    SipScanner other = new SipScanner();
    int whole = 0;
    for (int round = 0; round < 20_000; round++) {
      ByteBuffer buffer = ByteBuffer.wrap(Mutants.bytes(mutants.next()));
      SipError error = scanner.resetStream(buffer, 0, buffer.limit());
      Probe.all(scanner, buffer);
      int start = scanner.messageStart();
      int end = error == SipError.OK ? scanner.bodyEnd() : buffer.limit();
      SipError datagram = other.reset(buffer, start, end);
      SipError expected =
          switch (datagram) {
            case EMPTY, NO_EMPTY_LINE, CONTENT_LENGTH_BEYOND -> SipError.MORE;
            case OK ->
                other.has(SipHeader.CONTENT_LENGTH) ? SipError.OK : SipError.CONTENT_LENGTH_ABSENT;
            default -> datagram;
          };
      assertEquals(expected, error);
      whole += error == SipError.OK ? 1 : 0;
    }
    assertTrue(whole > 2000, "only " + whole + " messages: the test sees too little");
  }
}
