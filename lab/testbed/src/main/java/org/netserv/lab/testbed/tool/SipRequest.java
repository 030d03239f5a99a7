// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A SIP request (RFC 3261) that is sent again and again with another CSeq and branch. Its text is
 * made once, so that sending allocates nothing. All CSeq have the same number of digits, so that
 * they fit into the same places.
 */
final class SipRequest {
  /** The lowest CSeq, and the number after the highest. */
  static final int FIRST = 1_000_000;

  static final int LIMIT = 10_000_000;

  private static final int DIGITS = 7;
  private static final String PLACE = "0".repeat(DIGITS);

  private final ByteBuffer bytes;
  private final int branch;
  private final int cseq;

  /**
   * Makes a request.
   *
   * @param server address:port as in a SIP URI
   * @param local address:port as in a SIP URI
   * @param header whole lines, with their ends, or empty
   */
  SipRequest(String method, String server, String local, String call, String header) {
    String mark = "branch=z9hG4bK";
    String before =
        method + " sip:" + server + " SIP/2.0\r\nVia: SIP/2.0/UDP " + local + ";" + mark;
    String between =
        ";rport\r\nMax-Forwards: 70\r\nFrom: <sip:agent@lab.example>;tag=a\r\nTo: <sip:"
            + server
            + ">\r\nCall-ID: "
            + call
            + "\r\nCSeq: ";
    String after = " " + method + "\r\n" + header + "Content-Length: 0\r\n\r\n";
    branch = before.length();
    cseq = branch + DIGITS + between.length();
    byte[] text = (before + PLACE + between + PLACE + after).getBytes(StandardCharsets.US_ASCII);
    bytes = ByteBuffer.allocateDirect(text.length).put(text);
  }

  /** Returns the whole message with this number. It must be sent before the next call. */
  ByteBuffer with(int number) {
    write(branch, number);
    write(cseq, number);
    return bytes.rewind();
  }

  private void write(int at, int number) {
    int left = number;
    for (int i = DIGITS - 1; i >= 0; i--, left /= 10) {
      bytes.put(at + i, (byte) ('0' + left % 10));
    }
  }
}
