// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.topology;

import java.util.List;

/**
 * The impairments of a link, in both directions.
 *
 * @param dropEvery every Nth packet is dropped by a counting firewall rule at either end; 0 = none
 * @param loss probability 0..1, seeded
 * @param delay milliseconds, one way
 * @param jitter milliseconds added at random, 0 to this; packets keep their order
 * @param reorder probability 0..1 that a packet skips the delay
 * @param duplicate probability 0..1
 * @param seed of the relay's random numbers
 */
public record Impairment(
    int dropEvery,
    double loss,
    double delay,
    double jitter,
    double reorder,
    double duplicate,
    long seed) {
  public static final Impairment NONE = new Impairment(0, 0, 0, 0, 0, 0, 1);

  /** Returns true if the link needs the relay program in its middle. */
  public boolean relayed() {
    return loss > 0 || delay > 0 || jitter > 0 || reorder > 0 || duplicate > 0;
  }

  /** Returns the relay's command line options. */
  public List<String> options() {
    return List.of(
        "--seed=" + seed,
        "--loss=" + loss,
        "--delay=" + delay,
        "--jitter=" + jitter,
        "--reorder=" + reorder,
        "--duplicate=" + duplicate);
  }

  /** Returns a text for people, which is empty without impairment. */
  public String text() {
    StringBuilder text = new StringBuilder();
    append(text, "every " + dropEvery + "th lost", dropEvery > 0);
    append(text, "loss " + loss * 100 + " %", loss > 0);
    append(text, delay + " ms", delay > 0);
    append(text, "jitter " + jitter + " ms", jitter > 0);
    append(text, "reorder " + reorder * 100 + " %", reorder > 0);
    append(text, "duplicate " + duplicate * 100 + " %", duplicate > 0);
    return text.toString();
  }

  private static void append(StringBuilder text, String part, boolean wanted) {
    if (wanted) {
      text.append(text.isEmpty() ? "" : ", ").append(part);
    }
  }
}
