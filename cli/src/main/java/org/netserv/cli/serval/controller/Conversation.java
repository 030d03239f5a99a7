// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval.controller;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A connection to sald, by {@code sald --talk}. One thread asks and takes events. Each order has
 * one reply, and events come between them.
 */
final class Conversation implements Closeable {
  private static final int REPLY_SECONDS = 5;
  private static final int EVENTS = 1024; // then sald's own queue fills, which drops and counts
  private static final String END = "end";

  private final Process process;
  private final BufferedWriter out;
  private final BlockingQueue<String> replies = new ArrayBlockingQueue<>(2);
  private final BlockingQueue<String> events = new ArrayBlockingQueue<>(EVENTS);
  private final Thread reader;

  private Conversation(Process process) {
    this.process = process;
    out =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.US_ASCII));
    reader = new Thread(this::read, "sald");
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts the program that connects to the socket. */
  static Conversation open(Path sald, Path socket) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(List.of(sald.toString(), "--talk", socket.toString()));
    return new Conversation(builder.redirectErrorStream(true).start());
  }

  private void read() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        (isReply(line) ? replies : events).put(line);
      }
    } catch (IOException e) {
      // as at the end
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    events.clear();
    events.add(END);
    replies.offer(END);
  }

  private static boolean isReply(String line) {
    return line.startsWith("{") || line.equals("ok") || line.startsWith("error ");
  }

  /**
   * Sends an order.
   *
   * @return the reply
   * @throws IOException if there is none
   */
  String ask(String order) throws IOException {
    out.write(order);
    out.newLine();
    out.flush();
    String reply = poll(replies, TimeUnit.SECONDS.toMillis(REPLY_SECONDS));
    if (reply == null || reply.equals(END)) {
      throw new IOException("sald does not answer");
    }
    return reply;
  }

  /**
   * Waits for an event.
   *
   * @return null if none comes in time
   * @throws IOException if sald has ended
   */
  String event(long millis) throws IOException {
    String event = poll(events, millis);
    if (END.equals(event)) {
      events.add(END);
      throw new IOException("sald does not answer");
    }
    return event;
  }

  private static String poll(BlockingQueue<String> from, long millis) throws IOException {
    try {
      return from.poll(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    reader.interrupt();
  }
}
