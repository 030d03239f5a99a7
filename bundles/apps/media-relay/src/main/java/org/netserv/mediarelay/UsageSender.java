// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.netserv.mediarelay.core.Accounts;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Tally;

/** Sends a report of the users' usage once in an interval, and a last one at its end. */
final class UsageSender implements Closeable {
  private static final System.Logger LOG = System.getLogger(UsageSender.class.getName());

  private static final int AT_ONCE = 32;
  private static final long PAUSE_MILLIS = 5;
  private static final long STOP_MILLIS = 2000;

  private final UsageReport report;
  private final Accounts accounts;
  private final Runnable settle;
  private final Sink sink;
  private final Tally<Why> tally;
  private final CountDownLatch ends = new CountDownLatch(1);
  private final Thread thread;

  /** Takes datagrams. */
  interface Sink extends Closeable {
    /**
     * Sends one.
     *
     * @throws IOException if the system does not take it
     */
    void send(byte[] datagram) throws IOException;
  }

  /**
   * Begins to send.
   *
   * @param settle brings the accounts up to date
   * @param sink is closed at the end
   * @param seconds between two reports
   */
  UsageSender(
      UsageReport report,
      Accounts accounts,
      Runnable settle,
      Sink sink,
      int seconds,
      Tally<Why> tally) {
    this.report = report;
    this.accounts = accounts;
    this.settle = settle;
    this.sink = sink;
    this.tally = tally;
    thread = new Thread(() -> run(seconds), "media-relay-usage");
    thread.setDaemon(true);
    thread.start();
  }

  private void run(int seconds) {
    try {
      while (!ends.await(seconds, TimeUnit.SECONDS)) {
        round();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Sends one report, in small portions. */
  private void round() throws InterruptedException {
    settle.run();
    List<byte[]> datagrams = report.datagrams(accounts.list());
    for (int i = 0; i < datagrams.size(); i++) {
      if (i % AT_ONCE == AT_ONCE - 1) {
        Thread.sleep(PAUSE_MILLIS);
      }
      try {
        sink.send(datagrams.get(i));
        tally.count(Why.USAGE_SENT);
      } catch (IOException e) {
        tally.count(Why.USAGE_BARRED);
      }
    }
  }

  /** Sends a last report. All allocations have ended. */
  @Override
  public void close() {
    ends.countDown();
    try {
      thread.join(STOP_MILLIS);
      if (!thread.isAlive()) {
        round();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try {
      sink.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "the socket of reports does not close", e);
    }
  }
}
