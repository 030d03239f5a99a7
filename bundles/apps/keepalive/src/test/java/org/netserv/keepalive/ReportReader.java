// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A receiver of reports, written by the page docs/protocols/keepalive-report.md alone. */
final class ReportReader {
  record Entry(int kind, int protocol, int port, long high, long low, int age) {}

  record Read(
      long instance,
      long sequence,
      long time,
      long serverHigh,
      long serverLow,
      int serverPort,
      int state,
      List<Entry> entries) {}

  private ReportReader() {}

  /** Returns the report, or null if it is none or was changed on the way. */
  static Read read(byte[] bytes, byte[] key) throws GeneralSecurityException {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length < 84
        || in.getInt(0) != 0x4e534b52
        || in.get(4) != 1
        || bytes.length != 52 + 24 * (in.getShort(6) & 0xffff) + 32) {
      return null;
    }
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update(bytes, 0, bytes.length - 32);
    if (!MessageDigest.isEqual(
        mac.doFinal(), Arrays.copyOfRange(bytes, bytes.length - 32, bytes.length))) {
      return null;
    }
    List<Entry> entries = new ArrayList<>();
    for (int at = 52; at < bytes.length - 32; at += 24) {
      entries.add(
          new Entry(
              in.get(at),
              in.get(at + 1),
              in.getShort(at + 2) & 0xffff,
              in.getLong(at + 4),
              in.getLong(at + 12),
              in.getInt(at + 20)));
    }
    return new Read(
        in.getLong(8),
        in.getLong(16),
        in.getLong(24),
        in.getLong(32),
        in.getLong(40),
        in.getShort(48) & 0xffff,
        in.get(50),
        entries);
  }
}
