// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Messages with a few faults: bytes changed, taken out or put in, and some cut. Seeded. */
final class Mutants {
  static final String KEEP_ALIVE =
      String.join(
          "\r\n",
          "NOTIFY sip:example.com SIP/2.0",
          "Via: SIP/2.0/UDP 10.0.0.7:5060;branch=z9hG4bK-1;rport",
          "From: \"Agent\" <sip:7@example.com>;tag=a7",
          "To: <sip:example.com>",
          "  ;x=y",
          "Call-ID: 7-1@10.0.0.7",
          "cseq : 1 NOTIFY",
          "X-Odd:  1 ",
          "m:",
          "o: keep-alive",
          "Content-Length: 0",
          "",
          "");

  private static final String MARKS = "\r\n :;,<>\"\\@=[]/\0%\t";
  private static final String[] PIECES = {
    "\r\n", "\n", "\r", "\r\n ", "\r\n\r\n", "\t", "  ", ": ", "\0", "l: 3\r\n", "To: x\r\n"
  };

  private final Random random;
  private final List<byte[]> originals;

  Mutants(long seed) throws IOException {
    random = new Random(seed);
    originals = new ArrayList<>(Torture.messages().values());
    String status = KEEP_ALIVE.replace("NOTIFY sip:example.com SIP/2.0", "SIP/2.0 180 Ringing");
    for (int i = 0; i < 10; i++) {
      originals.add(bytes(KEEP_ALIVE));
      originals.add(bytes(status));
      originals.add(bytes(KEEP_ALIVE.replace("\r\n", "\n")));
      originals.add(bytes(KEEP_ALIVE.replace("Length: 0", "Length: 5") + "a\nb\rc"));
    }
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  String next() {
    StringBuilder text =
        new StringBuilder(
            new String(
                originals.get(random.nextInt(originals.size())), StandardCharsets.ISO_8859_1));
    for (int i = random.nextInt(4); i > 0; i--) {
      int at = random.nextInt(text.length());
      switch (random.nextInt(4)) {
        case 0 -> text.setCharAt(at, MARKS.charAt(random.nextInt(MARKS.length())));
        case 1 -> text.setCharAt(at, (char) random.nextInt(256));
        case 2 -> text.deleteCharAt(at);
        default -> text.insert(at, PIECES[random.nextInt(PIECES.length)]);
      }
    }
    return random.nextInt(5) == 0 ? text.substring(0, random.nextInt(text.length())) : text + "";
  }
}
