// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.spawner;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.netserv.policy.ContainerPrefixes;
import org.netserv.policy.FastPathPolicy;
import org.netserv.policy.Quotas;

/**
 * One request to the spawner, without its id.
 *
 * @param verb of docs/protocols/spawner.md
 * @param values its keys, in order
 * @param lines the lines after the request line ({@code filters} only)
 * @param timeoutMillis after which the client answers for the spawner
 */
public record SpawnerRequest(
    String verb, Map<String, String> values, List<String> lines, long timeoutMillis) {
  private static final long SHORT = 5_000;
  private static final long LONG = 20_000;

  /** Longer than the spawner takes for a start, so that the spawner answers and not the client. */
  private static final long START = 130_000;

  /**
   * Makes the first request to a spawner.
   *
   * @param processors the numbers of the processors that are set apart for packets
   * @param containers the prefixes from which containers get their networks
   */
  public static SpawnerRequest prepare(
      boolean set,
      List<String> interfaces,
      List<Integer> processors,
      ContainerPrefixes containers) {
    return of(
        "prepare",
        LONG,
        "sysctl",
        set ? "set" : "check",
        "interfaces",
        String.join(",", interfaces),
        "packet-processors",
        numbers(processors),
        "prefix4",
        containers.prefix4().toString(),
        "prefix6",
        containers.prefix6().toString());
  }

  /** Starts a container. */
  public static SpawnerRequest start(ContainerSpec container) {
    return new SpawnerRequest("start", container.keys(), List.of(), START);
  }

  /**
   * Keeps containers ready that belong to nobody yet.
   *
   * @param quotas that they are made with; a publisher with others is not served from them
   */
  public static SpawnerRequest spares(int count, Quotas quotas) {
    Map<String, String> keys = ContainerSpec.size(quotas);
    keys.put("count", "" + count);
    return new SpawnerRequest("spares", keys, List.of(), SHORT);
  }

  /** Puts the fast path on the interfaces, and takes it from all others. */
  public static SpawnerRequest fastPath(FastPathPolicy wanted) {
    return of(
        "fastpath",
        LONG,
        "interfaces",
        String.join(",", wanted.interfaces()),
        "mode",
        wanted.mode().text(),
        "forward",
        wanted.forward().text());
  }

  public static SpawnerRequest stop(String container, int graceMillis, boolean dump) {
    return of(
        "stop",
        LONG + graceMillis,
        "container",
        container,
        "grace",
        "" + graceMillis,
        "dump",
        dump ? "1" : "0");
  }

  /** Ends the relays that the kernel keeps for the next start of a container that has died. */
  public static SpawnerRequest forget(String container) {
    return of("forget", SHORT, "container", container);
  }

  /**
   * Replaces all filters.
   *
   * @param lines the complete list in order of precedence
   */
  public static SpawnerRequest filters(List<String> lines) {
    return new SpawnerRequest(
        "filters", Map.of("count", "" + lines.size()), List.copyOf(lines), LONG);
  }

  public static SpawnerRequest stats(String container) {
    return of("stats", SHORT, "container", container);
  }

  /** Asks for the counts and flows in the kernel with the most bytes. */
  public static SpawnerRequest talkers(int most) {
    return of("talkers", SHORT, "most", "" + most);
  }

  public static SpawnerRequest list() {
    return of("list", SHORT);
  }

  /**
   * Keeps jobs ready that have no order yet.
   *
   * @param ports that they may connect to; a job with others is not done by them
   */
  public static SpawnerRequest spareJobs(int count, int memoryMib, List<Integer> ports) {
    return of(
        "spare-jobs",
        SHORT,
        "count",
        "" + count,
        "memory",
        "" + memoryMib,
        "ports",
        numbers(ports));
  }

  /**
   * Runs a job.
   *
   * @param spare whether a spare job may do it
   */
  public static SpawnerRequest worker(
      String job,
      int memoryMib,
      int timeoutSeconds,
      List<Integer> ports,
      List<String> allow,
      List<String> deny,
      boolean spare) {
    return of(
        "worker",
        timeoutSeconds * 1000L + SHORT,
        "job",
        job,
        "memory",
        "" + memoryMib,
        "timeout",
        "" + timeoutSeconds,
        "ports",
        numbers(ports),
        "allow",
        String.join(",", allow),
        "deny",
        String.join(",", deny),
        "spare",
        spare ? "1" : "0");
  }

  private static String numbers(List<Integer> numbers) {
    return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  private static SpawnerRequest of(String verb, long timeout, String... keysAndValues) {
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      values.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return new SpawnerRequest(verb, values, List.of(), timeout);
  }
}
