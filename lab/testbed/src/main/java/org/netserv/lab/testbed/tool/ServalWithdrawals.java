// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.netserv.serval.ServiceId;

/**
 * A host that registers services at a first router and asks a last one for them: {@code
 * ServalWithdrawals ADDRESS ASKING FIRST LAST PORT OTHERS}. OTHERS services stay registered. For
 * each line of its input it registers one more, waits until a datagram from the address ASKING
 * comes by the last router, withdraws the service, and sends on each millisecond for a while. Each
 * datagram ends with the time at which it was sent. It prints the number of the service and the
 * time of the withdrawal, {@code service=... withdrawn=...}, both of {@link System#nanoTime}.
 */
public final class ServalWithdrawals {
  private static final String DIGITS = "0000aa";
  private static final int FIRST_NUMBER = 1 << 20;
  private static final int PROBE_MILLIS = 1;
  private static final long PROBE_NANOS = 500_000;

  /** Datagrams are sent for so long after a withdrawal. */
  private static final long AFTER_NANOS = 800_000_000L;

  private static final long KNOWN_NANOS = 20_000_000_000L;
  private static final long REGISTER_NANOS = 1_000_000_000L;

  /** The routers work each 100 ms, so that a withdrawal is to come at any time between. */
  private static final int ANY_MILLIS = 200;

  private final ProbeSocket socket;
  private final ProbeSocket asking;
  private final InetSocketAddress first;
  private final InetSocketAddress last;
  private final int others;
  private final Random random = new Random(7);
  private int rounds;

  private ServalWithdrawals(String[] args) throws IOException {
    int port = Integer.parseInt(args[4]);
    socket = new ProbeSocket(new InetSocketAddress(args[0], 0));
    asking = new ProbeSocket(new InetSocketAddress(args[1], 0));
    first = new InetSocketAddress(args[2], port);
    last = new InetSocketAddress(args[3], port);
    others = Integer.parseInt(args[5]);
  }

  public static void main(String[] args) throws IOException {
    ServalWithdrawals host = new ServalWithdrawals(args);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      System.out.println(host.round());
    }
  }

  private static ServiceId id(int number) {
    return ServiceId.parse(DIGITS + String.format(Locale.ROOT, "%06x", number));
  }

  private String round() throws IOException {
    for (int i = 0; i < others; i++) {
      socket.register(first, id(i), false);
    }
    int service = FIRST_NUMBER + rounds++;
    ServiceId id = id(service);
    known(id);
    send(id, random.nextInt(ANY_MILLIS) * 1_000_000L);
    socket.register(first, id, true);
    long withdrawn = System.nanoTime();
    send(id, AFTER_NANOS);
    return "service=" + service + " withdrawn=" + withdrawn;
  }

  private void send(ServiceId id, long nanos) throws IOException {
    long until = System.nanoTime() + nanos;
    while (System.nanoTime() - until < 0) {
      asking.probe(last, id);
      socket.arrived(PROBE_MILLIS);
      LockSupport.parkNanos(PROBE_NANOS);
    }
  }

  /** Registers a service, and waits until the last router leads to it. */
  private void known(ServiceId id) throws IOException {
    long begun = System.nanoTime();
    long next = begun;
    while (true) {
      long now = System.nanoTime();
      if (now - begun > KNOWN_NANOS) {
        throw new IOException("the last router does not know " + id);
      }
      if (now - next >= 0) {
        socket.register(first, id, false);
        next = now + REGISTER_NANOS;
      }
      asking.probe(last, id);
      if (socket.arrived(PROBE_MILLIS) - begun > 0) {
        return;
      }
    }
  }
}
