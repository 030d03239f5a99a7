// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node that is ready answers its first Query as it does every other. sigio holds a Query for half
 * a second only. A node that still loaded its classes then let the first Query of a path go by, and
 * the node before it took itself for the last.
 */
@Timeout(120)
class FirstQueryTest {
  private static final String MAIN = "org.netserv.signaling.SignalingMain";
  private static final String HELLO = "00000008 01000000 00010000";

  /** Logs the classes loaded. Netty's leak detector, which samples buffers at random, is off. */
  private static final List<String> OPTIONS =
      List.of("-Xlog:class+load", "-Dio.netty.leakDetection.level=disabled");

  private static final int PACKET = 2;
  private static final int VERDICT = 3;
  private static final int TAKEN = 1;

  /** A Query from 10.0.0.9 to 10.0.9.9 that wants an association by TLS or TCP. */
  private static final String QUERY =
      """
      4e04bda5 0120001a 7fc68040
      00000004 00004000 0a000009 0a000909 20200000
      00010004 000102030405060708090a0b0c0d0e0f
      00020004 04404000 00007530 aabbccdd 7f000001
      00050002 a1a2a3a4a5a6a7a8
      00030003 02000000 02020100 01010000
      00040003 01000000 00007530 01000000
      """;

  @TempDir Path root;

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replaceAll("\\s", ""));
  }

  /** Returns the frame of a packet that sigio holds under a token. */
  private static byte[] packet(long token, byte[] payload) throws IOException {
    byte[] from = InetAddress.getByName("10.0.0.9").getAddress();
    byte[] to = InetAddress.getByName("10.0.9.9").getAddress();
    return ByteBuffer.allocate(4 + 4 + 64 + payload.length)
        .putInt(4 + 64 + payload.length)
        .putInt(PACKET << 24)
        .putLong(token)
        .putInt(1)
        .put(new byte[] {4, 60, 0, 1}) // IPv4, TTL, class, with a router alert
        .putShort((short) 65_503)
        .putShort((short) 1500)
        .putShort((short) 270)
        .putShort((short) 270)
        .putLong(0)
        .put(ByteBuffer.allocate(16).put(from).rewind())
        .put(ByteBuffer.allocate(16).put(to).rewind())
        .put(payload)
        .array();
  }

  private static ByteBuffer take(SocketChannel from, int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    while (buffer.hasRemaining()) {
      if (from.read(buffer) < 0) {
        throw new EOFException();
      }
    }
    return buffer.flip();
  }

  /** Reads frames up to a verdict, and returns the verdict's code. */
  private static int verdict(SocketChannel sigio) throws IOException {
    for (; ; ) {
      ByteBuffer frame = take(sigio, take(sigio, 4).getInt());
      if (frame.get(0) == VERDICT) {
        return frame.get(4 + 8);
      }
    }
  }

  private static void put(SocketChannel sigio, byte[] bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    while (buffer.hasRemaining()) {
      sigio.write(buffer);
    }
  }

  /** Returns the classes of ours, and of Netty, that a part of the virtual machine's log names. */
  private static List<String> loaded(String log) {
    return log.lines()
        .filter(line -> line.contains("[class,load]"))
        .map(line -> line.replaceFirst(".*\\] ", "").replaceFirst(" source: .*", ""))
        .filter(name -> name.matches("(org\\.netserv|io\\.netty)\\..*"))
        .filter(name -> !name.contains("$$Lambda"))
        .toList();
  }

  @Test
  void findsTheClassesLoaded() throws Exception {
    Files.createDirectories(root.resolve("etc/netserv"));
    Files.writeString(root.resolve("etc/netserv/node.yaml"), "signaling: {port: 0, tls-port: 0}\n");
    Path socket = Files.createDirectories(root.resolve("run/netserv")).resolve("sigio.sock");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      try (Daemon daemon = new Daemon(root, OPTIONS, MAIN);
          SocketChannel sigio = server.accept()) {
        put(sigio, hex(HELLO));
        daemon.says("sigio is there").says(": ready");
        int before = daemon.text().length();
        put(sigio, packet(257, hex(QUERY)));
        assertEquals(TAKEN, verdict(sigio));
        assertEquals(List.of(), loaded(daemon.text().substring(before)));
      }
    }
  }
}
