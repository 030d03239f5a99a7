// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Clients of a {@link DigestServer}, all at once: {@code DigestCrowd ADDRESS PORT CLIENTS BYTES}.
 * Each connects, waits until all are connected, sends up to BYTES random bytes and ends its data.
 * It prints {@code right= wrong= failed=}: clients whose answer is the digest of what they have
 * sent, those with another answer, and those without one.
 */
public final class DigestCrowd {
  private static final int PATIENCE_MILLIS = 30_000;

  private DigestCrowd() {}

  public static void main(String[] args) throws InterruptedException {
    InetSocketAddress to = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    int clients = Integer.parseInt(args[2]);
    int bytes = Integer.parseInt(args[3]);
    AtomicInteger right = new AtomicInteger();
    AtomicInteger wrong = new AtomicInteger();
    AtomicInteger failed = new AtomicInteger();
    CountDownLatch connected = new CountDownLatch(clients);
    Thread[] threads = new Thread[clients];
    for (int i = 0; i < clients; i++) {
      long seed = i;
      threads[i] =
          new Thread(
              () -> {
                try {
                  (isRight(to, seed, bytes, connected) ? right : wrong).incrementAndGet();
                } catch (IOException | InterruptedException e) {
                  System.out.println("client " + seed + ": " + e.getMessage());
                  failed.incrementAndGet();
                }
              });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    System.out.println("right=" + right + " wrong=" + wrong + " failed=" + failed);
  }

  private static boolean isRight(
      InetSocketAddress to, long seed, int most, CountDownLatch connected)
      throws IOException, InterruptedException {
    Random random = new Random(seed);
    byte[] sent = new byte[random.nextInt(most + 1)];
    random.nextBytes(sent);
    try (Socket socket = new Socket()) {
      try {
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.connect(to, PATIENCE_MILLIS);
      } finally {
        connected.countDown();
      }
      connected.await();
      socket.getOutputStream().write(sent);
      socket.shutdownOutput();
      byte[] answer = socket.getInputStream().readAllBytes();
      return Arrays.equals(answer, DigestServer.sha256().digest(sent));
    }
  }
}
