// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.Binding;
import org.netserv.serval.endpoint.Datagram;
import org.netserv.serval.endpoint.DatagramFlow;
import org.netserv.serval.endpoint.EndpointSettings;
import org.netserv.serval.endpoint.FlowHandler;
import org.netserv.serval.endpoint.ServalLoop;
import org.netserv.serval.endpoint.ServiceHandler;

/**
 * A client of memcached by name, at an even rate: {@code CacheClient ADDRESS ROUTER PREFIX RATE
 * STOP ROWS}. PREFIX is the hexadecimal digits of all partitions. The client hashes each key to the
 * next digit, and sends the request to the serviceID of prefix and digit. It knows no server. One
 * of eight requests reads the last key of a partition that has been stored. A request without an
 * answer is sent again after half a second, ten times at most.
 *
 * <p>It ends when the file STOP is there. Then it writes a line to the file ROWS for each tenth of
 * a second, partition and server: {@code TICK PARTITION SERVER REQUESTS LOST}. A request counts in
 * the tick in which it was sent first, and for the server that answered first. LOST are datagrams
 * that nobody has answered, not even late. SERVER is {@code none} for requests that have failed.
 *
 * <p>It prints {@code begin}, the start of tick 0 in milliseconds since 1970, {@code warm} when a
 * hundred requests have been answered, and at the end the {@code requests}, the {@code hits}, the
 * {@code moved} keys that their new server does not have, the {@code forgotten} keys that the
 * server which has stored them does not have, and {@code wrong} answers.
 */
public final class CacheClient implements ServiceHandler {
  private static final int PARTITIONS = 16;
  private static final int NUMBERS = 1 << 16;
  private static final int GETS = 8;
  private static final int TRIES = 10;
  private static final int WARM = 100;
  private static final long AGAIN = 500_000_000;
  private static final long TICK = 100_000_000;
  private static final long SECOND = 1_000_000_000;

  /**
   * A client that was not run leaves out what it should have sent before this time, and requests
   * that are sent again count for its rate. So no burst overflows a queue.
   */
  private static final long BEHIND = 5_000_000;

  private final ServiceId[] targets = new ServiceId[PARTITIONS];
  private final long[] stored = new long[PARTITIONS];
  private final String[] storedAt = new String[PARTITIONS];
  private final CacheRequest[] last = new CacheRequest[NUMBERS];
  private final ArrayDeque<Integer> waiting = new ArrayDeque<>();
  private final Map<String, long[]> rows = new TreeMap<>();
  private final long begin = System.nanoTime();
  private Binding binding;
  private long requests;
  private long answered;
  private long hits;
  private long moved;
  private long forgotten;
  private long wrong;

  private CacheClient(String prefix) {
    Arrays.setAll(targets, i -> ServiceId.parse(prefix + Integer.toHexString(i)));
  }

  public static void main(String[] args) throws IOException {
    CacheClient client = new CacheClient(args[2]);
    EndpointSettings settings = EndpointSettings.DEFAULT.with(ServalSource.router(args[1]));
    byte[] own = new byte[32];
    new SecureRandom().nextBytes(own);
    ServicePrefix name = ServicePrefix.of(ServiceId.parse(HexFormat.of().formatHex(own)));
    System.out.println("begin=" + System.currentTimeMillis());
    try (ServalLoop loop = ServalLoop.open(new InetSocketAddress(args[0], 0), settings)) {
      client.binding = loop.endpoint().bindLocally(name, client);
      client.run(loop, Integer.parseInt(args[3]), Path.of(args[4]));
      loop.endpoint().close();
    }
    client.write(Path.of(args[5]));
  }

  private void run(ServalLoop loop, int rate, Path stop) throws IOException {
    boolean sends = true;
    int tick = 0;
    long due = System.nanoTime();
    long end = 0; // until which answers to other tries may come
    while (sends || !waiting.isEmpty() || System.nanoTime() < end) {
      loop.select(1);
      loop.receive(CacheClient::fail);
      if (sends && tick() != tick) {
        tick = tick();
        sends = !Files.exists(stop);
        end = System.nanoTime() + AGAIN;
      }
      long now = System.nanoTime();
      for (due = Math.max(due, now - BEHIND); due <= now; due += SECOND / rate) {
        if (!again() && sends) {
          next();
        }
      }
      loop.send(CacheClient::fail);
    }
  }

  private static void fail(RuntimeException failure) {
    throw failure;
  }

  private int tick() {
    return (int) ((System.nanoTime() - begin) / TICK);
  }

  private void next() {
    long key = requests++;
    int partition = partition(key);
    boolean gets = key % GETS == 0 && storedAt[partition] != null;
    int number = (int) (key % NUMBERS);
    last[number] =
        gets
            ? new CacheRequest(storedAt[partition], stored[partition], partition, tick())
            : new CacheRequest(null, key, partition, tick());
    waiting.add(number);
    send(number);
  }

  private static int partition(long key) {
    CRC32 hash = new CRC32();
    hash.update(CacheRequest.name(key).getBytes(StandardCharsets.US_ASCII));
    return (int) (hash.getValue() % PARTITIONS);
  }

  private void send(int number) {
    CacheRequest request = last[number];
    request.tries++;
    request.due = System.nanoTime() + AGAIN;
    binding.send(targets[request.partition], request.datagram(number));
  }

  /**
   * Sends a request again whose time is over. They wait in the order of their times.
   *
   * @return false if there is none
   */
  private boolean again() {
    while (!waiting.isEmpty()) {
      int number = waiting.peek();
      CacheRequest request = last[number];
      if (request.server == null && request.due > System.nanoTime()) {
        return false;
      }
      waiting.remove();
      if (request.server == null && request.tries < TRIES) {
        waiting.add(number);
        send(number);
        return true;
      }
      if (request.server == null) {
        request.server = "none";
        count(request, 1, TRIES);
      }
    }
    return false;
  }

  @Override
  public FlowHandler accept(DatagramFlow flow) {
    return null;
  }

  @Override
  public void received(Datagram datagram) {
    int number = CacheRequest.number(datagram.payload());
    CacheRequest request = number < 0 ? null : last[number];
    if (request == null) {
      wrong++;
    } else if (request.server != null) {
      count(request, 0, -1); // the answer to another try
    } else {
      String server = ServalHost.text(datagram.from());
      request.server = server.substring(0, server.indexOf(':'));
      if (++answered == WARM) {
        System.out.println("warm");
      }
      count(request, 1, request.tries - 1);
      take(request, request.read(datagram.payload()));
    }
  }

  private void take(CacheRequest request, CacheRequest.Answer answer) {
    int partition = request.partition;
    switch (answer) {
      case STORED -> {
        stored[partition] = request.key();
        storedAt[partition] = request.server;
      }
      case HIT -> hits++;
      case MOVED -> moved++;
      case FORGOTTEN -> forgotten++;
      case WRONG -> wrong++;
    }
  }

  private void count(CacheRequest request, int requests, int lost) {
    String row = request.tick + " " + request.partition + " " + request.server;
    long[] counts = rows.computeIfAbsent(row, key -> new long[2]);
    counts[0] += requests;
    counts[1] += lost;
  }

  private void write(Path file) throws IOException {
    StringBuilder text = new StringBuilder();
    rows.forEach((row, counts) -> text.append(row + " " + counts[0] + " " + counts[1] + "\n"));
    Files.writeString(file, text);
    System.out.printf(
        "requests=%d hits=%d moved=%d forgotten=%d wrong=%d%n",
        requests, hits, moved, forgotten, wrong);
  }
}
