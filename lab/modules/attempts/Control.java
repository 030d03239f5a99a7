// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.osgi.framework.BundleContext;

/**
 * Abuses the socket by which its container gets orders: {@code HOW SOCKET [NUMBER|MODULE SHA256]}.
 *
 * <pre>
 *   flood     opens so many connections and keeps them; succeeds if all stay open
 *   garbage   sends bytes that are no frame; succeeds if the connection stays open
 *   accuse    takes the agent's place, says that a module runs there, and reports its quarantine
 * </pre>
 */
public final class Control extends Attempt {
  private static final int FRAME_HEADER = 5;
  private static final int SETTLE_MILLIS = 1500;

  /** Time in which the controller sees that the agent's connection is closed. */
  private static final int UNTIL_GONE_MILLIS = 300;

  private static final int TURNS = 100;
  private static final int TURN_MILLIS = 50;

  private BundleContext context;

  @Override
  public void start(BundleContext started) throws Exception {
    context = started;
    super.start(started);
  }

  @Override
  protected String attempt(String argument) throws Exception {
    String[] words = argument.split(" ", -1);
    UnixDomainSocketAddress socket = UnixDomainSocketAddress.of(words[1]);
    switch (words[0]) {
      case "flood":
        return flood(socket, Integer.parseInt(words[2]));
      case "garbage":
        return garbage(socket);
      default:
        return accuse(socket, words[2], words[3]);
    }
  }

  private static String flood(UnixDomainSocketAddress socket, int count) throws Exception {
    List<SocketChannel> all = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        all.add(SocketChannel.open(socket));
      }
      Thread.sleep(SETTLE_MILLIS);
      int open = 0;
      for (SocketChannel channel : all) {
        channel.configureBlocking(false);
        open += isOpen(channel) ? 1 : 0;
      }
      String seen = open + " of " + count + " stay open";
      if (open < count) {
        throw denied(seen);
      }
      return seen;
    } finally {
      for (SocketChannel channel : all) {
        channel.close();
      }
    }
  }

  /** Reads all pending bytes. Returns false if the peer has closed the connection. */
  private static boolean isOpen(SocketChannel channel) {
    ByteBuffer in = ByteBuffer.allocate(4096);
    try {
      int n = 1;
      while (n > 0) {
        n = channel.read(in.clear());
      }
      return n == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static String garbage(UnixDomainSocketAddress socket) throws Exception {
    try (SocketChannel channel = SocketChannel.open(socket)) {
      byte[] noise = new byte[64];
      Arrays.fill(noise, (byte) 0xff);
      channel.write(ByteBuffer.wrap(noise));
      channel.configureBlocking(false);
      for (int turn = 0; turn < TURNS; turn++) {
        Thread.sleep(TURN_MILLIS);
        if (!isOpen(channel)) {
          throw denied("the connection is closed");
        }
      }
      return "still open";
    }
  }

  private String accuse(UnixDomainSocketAddress socket, String module, String sha256)
      throws Exception {
    String which = "\"module\":\"" + module + "\",\"sha256\":\"" + sha256 + "\"";
    // Ends the link for good, because an agent that reconnects uses up the connections of its uid.
    AgentLink.of(context).end();
    Thread.sleep(UNTIL_GONE_MILLIS);
    try (SocketChannel channel = SocketChannel.open(socket)) {
      send(
          channel,
          "{\"hello\":{\"protocol\":\"1.0\",\"build\":\"hostile\"},\"modules\":[{"
              + which
              + ",\"state\":\"running\"}]}");
      send(channel, "{\"event\":\"quarantined\"," + which + ",\"reason\":\"accused\"}");
      Thread.sleep(SETTLE_MILLIS);
      return "said";
    }
  }

  private static void send(SocketChannel channel, String json) throws IOException {
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    ByteBuffer frame = ByteBuffer.allocate(FRAME_HEADER + body.length);
    frame.putInt(1 + body.length).put((byte) 'J').put(body).flip();
    while (frame.hasRemaining()) {
      channel.write(frame);
    }
  }
}
