// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Hashtable;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/**
 * Attacks the socket by which its container gets orders, from two seconds after its start until it
 * is stopped. The bundles {@link HostileVisitor}, {@link HostileFlood} and {@link HostileTaker}
 * choose the attacks.
 */
public abstract class HostileAgent implements BundleActivator, PktProcessor {
  private static final int FIRST_MILLIS = 2_000;
  private static final int GAP_MILLIS = 1_250;
  private static final int SILENCE_MILLIS = 6_000;
  private static final int THREADS = 4;
  private static final int HEAD = 5;
  private static final int LONGEST = 65_000;
  private static final int TWO_MIB = 2 << 20;
  private static final int DEEP = 10_000;
  private static final int PROLOGUE = 40;

  private static final String HELLO = "{\"hello\":{\"protocol\":\"1.0\",\"build\":\"hostile\"}";
  private static final Pattern ID = Pattern.compile("\"id\":(\\d+)");
  private static final Pattern OP = Pattern.compile("\"op\":\"(\\w+)\"");
  private static final Pattern SIZE = Pattern.compile("\"size\":(\\d+)");

  private UnixDomainSocketAddress socket;
  private BundleContext context;
  private volatile boolean over;

  /** Attacks. The base class calls it on a thread of its own. */
  protected abstract void attack() throws Exception;

  @Override
  public void start(BundleContext started) {
    context = started;
    socket = UnixDomainSocketAddress.of(context.getProperty("netserv.control"));
    context.registerService(PktProcessor.class, this, new Hashtable<>());
    begin(
        () -> {
          pause(FIRST_MILLIS);
          attack();
        });
  }

  @Override
  public void stop(BundleContext stopped) {
    over = true;
  }

  @Override
  public Decision process(Packet packet, Decision decision) {
    return decision.pass("not of interest");
  }

  /** Work that ends when it throws. */
  protected interface Work {
    void run() throws Exception;
  }

  private static void begin(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (Exception e) {
                System.err.println("attack: " + e);
              }
            },
            "attack");
    thread.setDaemon(true);
    thread.start();
  }

  private static void pause(long millis) throws InterruptedException {
    Thread.sleep(millis);
  }

  // ---- from outside, beside the agent

  /** Makes each attack once, on a connection of its own. */
  protected final void once() throws Exception {
    for (int i = 0; i < attacks(0).size() && !over; i++) {
      outside(i, i);
      pause(GAP_MILLIS);
    }
  }

  /** Attacks on four connections at once, for ever. */
  protected final void four(long gapMillis) {
    for (int thread = 0; thread < THREADS; thread++) {
      int first = thread;
      begin(
          () -> {
            for (int i = first; !over; i++) {
              outside(i, i);
              pause(gapMillis);
            }
          });
    }
  }

  /** Makes one attack and ignores a refusal. */
  private void outside(int which, int round) throws InterruptedException {
    List<byte[]> all = attacks(round);
    byte[] bytes = all.get(which % all.size());
    try (SocketChannel channel = SocketChannel.open(socket)) {
      write(channel, bytes);
      if (bytes.length == 0) {
        pause(round == 0 ? SILENCE_MILLIS : 1);
      } else {
        channel.shutdownOutput();
        drain(channel);
      }
    } catch (IOException e) {
      // The controller refused the attack, as it should.
    }
  }

  private static void drain(SocketChannel channel) throws IOException {
    ByteBuffer in = ByteBuffer.allocate(4096);
    while (channel.read(in) >= 0) {
      in.clear();
    }
  }

  /**
   * Returns frames of the protocol, each wrong in another way: silent, cut, empty, too long, of
   * another kind, and so on.
   */
  private static List<byte[]> attacks(int round) {
    byte[] hello = frame(HELLO + "}");
    byte[] noise = new byte[64];
    Arrays.fill(noise, (byte) 0xff);
    return List.of(
        new byte[0],
        Arrays.copyOf(hello, HEAD + 1 + round % (hello.length - HEAD - 1)),
        ByteBuffer.allocate(HEAD).putInt(0).put((byte) 'J').array(),
        Arrays.copyOf(head(TWO_MIB, 'J'), LONGEST),
        noise,
        frame('X', HELLO + "}"),
        frame("{\"hello\":" + "[".repeat(DEEP) + "]".repeat(DEEP) + "}"),
        frame("{\"hello\":{},\"x\":[" + "0,".repeat(LONGEST / 3) + "0]}"),
        frame("no json"),
        frame("[1,2,3]"),
        frame("{\"hello\":{\"protocol\":\"7.0\"}}"),
        frame(longHello()));
  }

  private static byte[] head(int length, int kind) {
    return ByteBuffer.allocate(HEAD).putInt(length).put((byte) kind).array();
  }

  private static byte[] frame(String json) {
    return frame('J', json);
  }

  private static byte[] frame(int kind, String json) {
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(HEAD + body.length)
        .putInt(1 + body.length)
        .put((byte) kind)
        .put(body)
        .array();
  }

  private static String longHello() {
    StringBuilder hello = new StringBuilder(HELLO).append(",\"modules\":[");
    for (int i = 0; hello.length() < LONGEST - 500; i++) {
      hello.append(i == 0 ? "" : ",").append("{\"module\":\"").append("m".repeat(120)).append(i);
      hello.append("\",\"sha256\":\"").append("0".repeat(64)).append("\",\"state\":\"running\"}");
    }
    return hello.append("]}").toString();
  }

  private static void write(SocketChannel channel, byte[] bytes) throws IOException {
    ByteBuffer out = ByteBuffer.wrap(bytes);
    while (out.hasRemaining()) {
      channel.write(out);
    }
  }

  // ---- as the agent

  /** Ends the agent's connection for good, then connects and speaks in the agent's name. */
  protected final void takeOver() throws Exception {
    AgentLink.of(context).end();
    while (!over) {
      pause(FIRST_MILLIS);
      try (SocketChannel channel = SocketChannel.open(socket)) {
        write(channel, frame(longHello()));
        begin(() -> answer(channel));
        speak(channel);
      } catch (IOException e) {
        // The controller closed the connection. Connect once more.
      }
    }
  }

  /**
   * Sends the longest events as fast as the controller reads them, and now and then a forbidden
   * message.
   */
  private void speak(SocketChannel channel) throws Exception {
    byte[] event =
        frame(
            "{\"event\":\"leak\",\"module\":\"org.netserv.lab.module.HostileTaker\",\"reason\":\"\\u001b"
                + "x".repeat(LONGEST - 200)
                + "\"}");
    List<byte[]> forbidden =
        List.of(
            frame(longHello()),
            frame("{\"event\":\"oom\",\"module\":\"m\"}"),
            frame("{\"id\":123456789,\"ok\":true}"),
            frame("{\"what\":\"ever\"}"));
    for (int i = 0; !over; i++) {
      send(channel, event);
      if (i % 2 == 0) {
        send(channel, forbidden.get(i / 2 % forbidden.size()));
      }
      if (i == PROLOGUE) {
        send(channel, frame("{\"event\":" + "[".repeat(DEEP))); // The frame ends the connection.
      }
    }
  }

  private static void send(SocketChannel channel, byte[] frame) throws IOException {
    synchronized (channel) {
      write(channel, frame);
    }
  }

  /** Answers each request with the longest texts that a frame can hold. */
  private void answer(SocketChannel channel) throws IOException {
    while (!over) {
      String request = new String(read(channel), StandardCharsets.UTF_8);
      Matcher id = ID.matcher(request);
      Matcher op = OP.matcher(request);
      if (!id.find() || !op.find()) {
        continue;
      }
      Matcher size = SIZE.matcher(request);
      if (op.group(1).equals("install") && size.find()) {
        for (int left = Integer.parseInt(size.group(1)); left > 0; ) {
          left -= read(channel).length;
        }
      }
      String start = "{\"id\":" + id.group(1) + ",\"ok\":true,\"here\":true,\"error\":\"";
      send(channel, frame(start + "e".repeat(LONGEST - 500) + "\",\"status\":7000000000}"));
    }
  }

  private static byte[] read(SocketChannel channel) throws IOException {
    ByteBuffer head = fill(channel, HEAD);
    return fill(channel, head.getInt() - 1).array();
  }

  private static ByteBuffer fill(SocketChannel channel, int length) throws IOException {
    ByteBuffer in = ByteBuffer.allocate(length);
    while (in.hasRemaining()) {
      if (channel.read(in) < 0) {
        throw new IOException("closed");
      }
    }
    return in.flip();
  }

  /**
   * Returns the milliseconds between two attacks of one thread that keep all four threads below the
   * restart's rate.
   */
  protected static long patient() {
    return (long) THREADS * GAP_MILLIS;
  }
}
