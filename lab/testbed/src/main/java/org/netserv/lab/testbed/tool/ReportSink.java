// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Set;
import java.util.TreeSet;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Receives the keep-alive module's reports by {@code docs/protocols/keepalive-report.md}: {@code
 * ReportSink PORT KEY}. After each report it prints {@code reports= agents= silent= state= bad=}:
 * reports, agents that were seen, agents that fell silent, the server's state in the last report,
 * and datagrams that were no report, or an old one.
 */
public final class ReportSink {
  private static final int MAGIC = 0x4e534b52;
  private static final int HEADER = 52;
  private static final int ENTRY = 24;
  private static final int MAC = 32;

  private final Mac mac;
  private final Set<String> seen = new TreeSet<>();
  private final Set<String> silent = new TreeSet<>();
  private long sequence;
  private int reports;
  private int bad;

  private ReportSink(byte[] key) throws GeneralSecurityException {
    mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
  }

  public static void main(String[] args) throws IOException, GeneralSecurityException {
    ReportSink sink = new ReportSink(HexFormat.of().parseHex(args[1]));
    try (DatagramSocket socket = new DatagramSocket(Integer.parseInt(args[0]))) {
      System.out.println("ready");
      DatagramPacket packet = new DatagramPacket(new byte[2048], 2048);
      while (true) {
        socket.receive(packet);
        System.out.println(sink.take(Arrays.copyOf(packet.getData(), packet.getLength())));
      }
    }
  }

  private String take(byte[] bytes) {
    int state = -1;
    if (isReport(bytes)) {
      reports++;
      sequence = ByteBuffer.wrap(bytes).getLong(16);
      state = bytes[50];
      entries(ByteBuffer.wrap(bytes));
    } else {
      bad++;
    }
    return "reports=%d agents=%d silent=%d state=%d bad=%d"
        .formatted(reports, seen.size(), silent.size(), state, bad);
  }

  private boolean isReport(byte[] bytes) {
    if (bytes.length < HEADER + MAC) {
      return false;
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    int end = HEADER + ENTRY * (in.getShort(6) & 0xffff);
    if (in.getInt(0) != MAGIC || bytes[4] != 1 || bytes.length != end + MAC) {
      return false;
    }
    mac.update(bytes, 0, end);
    byte[] claimed = Arrays.copyOfRange(bytes, end, bytes.length);
    return MessageDigest.isEqual(mac.doFinal(), claimed) && in.getLong(16) > sequence;
  }

  private void entries(ByteBuffer in) {
    int end = in.limit() - MAC;
    for (int at = HEADER; at < end; at += ENTRY) {
      byte[] address = new byte[18];
      in.get(at + 2, address);
      String agent = HexFormat.of().formatHex(address);
      (in.get(at) == 1 ? seen : silent).add(agent);
      (in.get(at) == 1 ? silent : seen).remove(agent);
    }
  }
}
