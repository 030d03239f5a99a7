// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.ServiceTable;
import org.netserv.serval.table.TableLimits;
import org.netserv.serval.table.TableRefusal;
import org.netserv.serval.table.Target;

/**
 * A service table of Java with many rules: a third of the prefixes have 64, 96 and 256 bits, and a
 * host has 64 rules. For each line {@code round N} it prints how many rules a second of processor
 * time adds to a table that then has N, the heap for each, and how many are withdrawn.
 */
public final class RuleLoad {
  private static final int[] LENGTHS = {64, 96, 256};
  private static final int OF_A_HOST = 64;
  private static final int COLLECTIONS = 2;
  private static final double SECOND = 1e9;

  private RuleLoad() {}

  public static void main(String[] args) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    SplittableRandom random = new SplittableRandom(7);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      System.out.println(round(Integer.parseInt(line.split(" ", -1)[1]), random));
    }
  }

  private static String round(int count, SplittableRandom random) throws IOException {
    long seed = random.nextLong();
    ServiceTable table =
        new ServiceTable(new TableLimits(count, count, count, OF_A_HOST), address -> false);
    long before = heap();
    double added = count / seconds(() -> addAll(table, count, new SplittableRandom(seed)));
    double bytes = (double) (heap() - before) / count;
    if (table.size() != count) {
      throw new IOException("the table has " + table.size() + " rules");
    }
    double withdrawn = count / seconds(() -> withdrawAll(table, count, seed));
    if (table.size() != 0) {
      throw new IOException("the table still has " + table.size() + " rules");
    }
    return "added=" + added + " bytes=" + bytes + " withdrawn=" + withdrawn;
  }

  private static long heap() {
    for (int i = 0; i < COLLECTIONS; i++) {
      ManagementFactory.getMemoryMXBean().gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static double seconds(Runnable work) {
    long begun = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    work.run();
    return (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begun) / SECOND;
  }

  private static Rule rule(int index, SplittableRandom random) {
    ServiceId id =
        new ServiceId(random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong());
    Endpoint host = Endpoint.ofIpv4(0x0a000000 + index / OF_A_HOST, 6000);
    return new Rule(
        new ServicePrefix(id, LENGTHS[index % LENGTHS.length]),
        RuleAction.FORWARD,
        Target.address(host),
        new Rank(0, 100),
        1,
        new Origin(Origin.Kind.REGISTRATION, "host " + index / OF_A_HOST),
        1_000_000L + index);
  }

  private static void addAll(ServiceTable table, int count, SplittableRandom random) {
    for (int i = 0; i < count; i++) {
      TableRefusal refusal = table.add(rule(i, random), 0);
      if (refusal != TableRefusal.OK) {
        throw new IllegalStateException(refusal.toString());
      }
    }
  }

  private static void withdrawAll(ServiceTable table, int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < count; i++) {
      if (!table.withdraw(rule(i, random))) {
        throw new IllegalStateException("no rule " + i);
      }
    }
  }
}
