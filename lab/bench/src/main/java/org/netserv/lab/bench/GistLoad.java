// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Runs a {@link Querier} by orders: {@code GistLoad FROM TO NODE SESSIONS}. It reads an order per
 * line from standard input and prints one answer for each. It refreshes its sessions all the time.
 *
 * <pre>
 *   fill N WINDOW SECONDS    N new sessions, so many at a time; answers when all are held
 *   rate SECONDS WINDOW      as many new sessions as go in that time: adds new=, micros=
 *   report                   the numbers as they are
 *   forget                   refreshes nothing from now on
 * </pre>
 *
 * The program ends with its input.
 */
public final class GistLoad {
  private static final String END = "";

  private final Querier querier;
  private final ConcurrentLinkedQueue<String> orders = new ConcurrentLinkedQueue<>();

  private GistLoad(Querier querier) {
    this.querier = querier;
  }

  public static void main(String[] args) throws IOException {
    try (Querier querier =
        new Querier(address(args[0]), address(args[1]), address(args[2]), number(args[3]))) {
      GistLoad load = new GistLoad(querier);
      Thread reader = new Thread(load::read, "orders");
      reader.setDaemon(true);
      reader.start();
      load.run();
    }
  }

  private static Inet4Address address(String text) throws IOException {
    return (Inet4Address) InetAddress.getByName(text);
  }

  private static int number(String text) {
    return Integer.parseInt(text);
  }

  private void read() {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        orders.add(line);
      }
    } catch (IOException e) {
      System.err.println(e.getMessage());
    }
    orders.add(END);
  }

  private void run() throws IOException {
    while (true) {
      String order = orders.poll();
      if (order == null) {
        querier.turn();
      } else if (order.equals(END)) {
        return;
      } else {
        System.out.println(obey(order.split(" ", -1)));
      }
    }
  }

  private String obey(String[] order) throws IOException {
    switch (order[0]) {
      case "fill" -> {
        querier.want(number(order[1]), number(order[2]));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(number(order[3]));
        while (!querier.settled() && System.nanoTime() < end) {
          querier.turn();
        }
        querier.enough();
        return querier.report();
      }
      case "rate" -> {
        return rate(number(order[1]), number(order[2]));
      }
      case "forget" -> {
        querier.forgetAll();
        return querier.report();
      }
      default -> {
        return querier.report();
      }
    }
  }

  private String rate(int seconds, int window) throws IOException {
    long before = querier.handshakes();
    long begin = System.nanoTime();
    long end = begin + TimeUnit.SECONDS.toNanos(seconds);
    querier.want(Integer.MAX_VALUE, window);
    while (System.nanoTime() < end) {
      querier.turn();
    }
    long made = querier.handshakes() - before;
    long micros = (System.nanoTime() - begin) / 1000;
    querier.enough();
    return querier.report() + " new=" + made + " micros=" + micros;
  }
}
