// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Times the first answer from a port: {@code FirstAnswer ADDRESS}. For each port that it reads, it
 * sends a SIP keep-alive there every millisecond until one is answered. Then it prints {@code at=}
 * with the moment of that answer by {@link System#nanoTime}, which all processes of a machine
 * share.
 */
public final class FirstAnswer {
  private static final long MOST = TimeUnit.SECONDS.toNanos(60);

  private FirstAnswer() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      System.out.println("at=" + await(new InetSocketAddress(args[0], Integer.parseInt(line))));
    }
  }

  private static long await(InetSocketAddress to) throws IOException, InterruptedException {
    ByteBuffer answer = ByteBuffer.allocate(2048);
    try (DatagramChannel channel = DatagramChannel.open()) {
      channel.connect(to);
      channel.configureBlocking(false);
      long end = System.nanoTime() + MOST;
      for (int i = 1; System.nanoTime() < end; i++) {
        if (answered(channel, ByteBuffer.wrap(keepAlive(to, i)), answer)) {
          return System.nanoTime();
        }
      }
    }
    throw new IOException("no answer from " + to);
  }

  private static boolean answered(DatagramChannel channel, ByteBuffer question, ByteBuffer answer)
      throws IOException, InterruptedException {
    try {
      channel.write(question);
      Thread.sleep(1);
      return channel.read(answer.clear()) > 0;
    } catch (PortUnreachableException e) {
      return false; // from the target itself: the keep-alive has passed the node
    }
  }

  private static byte[] keepAlive(InetSocketAddress to, int cseq) {
    String server = to.getAddress().getHostAddress() + ":" + to.getPort();
    return """
        NOTIFY sip:%1$s SIP/2.0
        Via: SIP/2.0/UDP 192.0.2.10:5060;branch=z9hG4bK%2$d;rport
        Max-Forwards: 70
        From: <sip:agent@lab.example>;tag=a
        To: <sip:%1$s>
        Call-ID: first@lab
        CSeq: %2$d NOTIFY
        Event: keep-alive
        Content-Length: 0

        """
        .formatted(server, cseq)
        .replace("\n", "\r\n")
        .getBytes(StandardCharsets.US_ASCII);
  }
}
