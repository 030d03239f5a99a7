// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;

/** Puts every value of a message before every sub-scanner and checks that positions stay inside. */
final class Probe {
  private static final SipVia VIA = new SipVia();
  private static final SipAddress ADDRESS = new SipAddress();
  private static final SipCseq CSEQ = new SipCseq();
  private static final SipUri URI = new SipUri();
  private static final IpLiteral LITERAL = new IpLiteral();

  private Probe() {}

  static void all(SipScanner scanner, ByteBuffer buffer) {
    inside(scanner.uriStart(), scanner.uriEnd(), buffer);
    URI.reset(buffer, scanner.uriStart(), scanner.uriEnd());
    for (int i = 0; i < scanner.headers(); i++) {
      int start = scanner.valueStart(i);
      int end = scanner.valueEnd(i);
      inside(start, end, buffer);
      inside(scanner.nameStart(i), scanner.nameEnd(i), buffer);
      value(buffer, start, end);
    }
  }

  static void value(ByteBuffer buffer, int start, int end) {
    int at = start;
    while (at >= 0 && VIA.reset(buffer, at, end) == SipError.OK) {
      within(VIA.branchStart(), VIA.branchEnd(), end);
      within(VIA.parametersStart(), VIA.end(), end);
      at = VIA.nextStart();
    }
    if (ADDRESS.reset(buffer, start, end) == SipError.OK) {
      within(ADDRESS.uriStart(), ADDRESS.uriEnd(), end);
      within(ADDRESS.tagStart(), ADDRESS.tagEnd(), end);
    }
    if (CSEQ.reset(buffer, start, end) == SipError.OK) {
      within(CSEQ.methodStart(), CSEQ.methodEnd(), end);
    }
    if (URI.reset(buffer, start, end) == SipError.OK) {
      within(URI.tailStart(), URI.end(), end);
    }
    LITERAL.reset(buffer, start, end);
  }

  private static void inside(int start, int end, ByteBuffer buffer) {
    within(start, end, buffer.limit());
  }

  private static void within(int start, int end, int limit) {
    assertTrue(start >= 0 && start <= end && end <= limit, start + ".." + end + " of " + limit);
  }
}
