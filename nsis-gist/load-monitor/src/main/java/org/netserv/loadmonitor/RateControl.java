// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

/**
 * Finds the rate of messages that the server can take. While messages wait in its socket, the rate
 * at which it reads them is its capacity. The rate to ask for is the capacity, less what drains the
 * queue to its goal within {@link #DRAIN}:
 *
 * <pre>
 *   rate = capacity + (goal - queue) / DRAIN        queue in messages, goal = capacity * wait
 * </pre>
 *
 * With a short queue nobody knows whether the server could take more. The capacity is then raised a
 * little each step while the edges hold requests back, up to a third above the rate that the server
 * does. A pure function of samples; one thread.
 */
public final class RateControl {
  /** Seconds in which the queue shall come to its goal. */
  static final double DRAIN = 0.5;

  private static final double WEIGHT = 0.2;
  private static final double RAISE = 1.03;

  /** Messages that must wait at both ends of a step, so that the server was busy all the time. */
  private static final int BUSY = 6;

  private static final double LEAST = 0.3; // of the capacity
  private static final double MOST = 1.3;
  private static final double NANOS = 1e9;

  private final double wait;
  private final int messageBytes;
  private LoadSample last;
  private double capacity; // 0 = not known
  private double served;
  private double usual; // served, smoothed
  private double queue;
  private double utilisation;
  private long dropped;

  /**
   * Makes a control.
   *
   * @param waitMillis goal for the time that a message waits in the server's socket
   * @param messageBytes memory that the kernel counts for a waiting message
   */
  public RateControl(int waitMillis, int messageBytes) {
    wait = waitMillis / 1000.0;
    this.messageBytes = messageBytes;
  }

  /**
   * Takes a sample.
   *
   * @param holding whether the edges hold requests back
   */
  public void add(LoadSample sample, boolean holding) {
    LoadSample before = last;
    last = sample;
    if (before == null || sample.nanos() <= before.nanos()) {
      return;
    }
    double seconds = (sample.nanos() - before.nanos()) / NANOS;
    served = (sample.served() - before.served()) / seconds;
    queue = sample.queue() / (double) messageBytes;
    utilisation = (sample.cpuMillis() - before.cpuMillis()) / seconds / 1000;
    dropped = Math.max(0, sample.drops() - before.drops());
    usual = usual == 0 ? served : usual + WEIGHT * (served - usual);
    long enough = (long) messageBytes * BUSY;
    if (before.queue() >= enough && sample.queue() >= enough) {
      capacity = capacity == 0 ? served : capacity + WEIGHT * (served - capacity);
    } else if (sample.queue() < enough && holding) {
      capacity = Math.max(capacity, Math.min(capacity * RAISE, MOST * usual));
    }
  }

  /** Returns messages per second that the edges may let pass together, or 0 if nobody knows. */
  public double rate() {
    double wanted = capacity + (capacity * wait - queue) / DRAIN;
    return Math.max(LEAST * capacity, Math.min(MOST * capacity, wanted));
  }

  /**
   * Returns the milliseconds that a message now waits in the socket. A second stands for an unknown
   * time: so many messages wait that the server is busy, and its capacity is not known yet.
   */
  public double waitMillis() {
    return capacity > 0 ? queue / capacity * 1000 : queue >= BUSY ? 1000 : 0;
  }

  public double capacity() {
    return capacity;
  }

  /** Returns messages per second that the server read in the last step. */
  public double served() {
    return served;
  }

  /** Returns the processors that the server used in the last step. */
  public double utilisation() {
    return utilisation;
  }

  /** Returns the datagrams that found the socket full in the last step. */
  public long dropped() {
    return dropped;
  }
}
