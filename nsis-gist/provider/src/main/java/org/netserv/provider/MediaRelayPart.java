// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.InetAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.netserv.coverage.Coverage;
import org.netserv.coverage.CoverageStatus;
import org.netserv.provider.agents.Agent;
import org.netserv.provider.agents.AgentTable;
import org.netserv.provider.kamailio.Rpc;
import org.netserv.provider.kamailio.RpcAnswer;
import org.netserv.values.Addresses;

/**
 * Deploys the Media Relay toward agents that register, and tells Kamailio the relay of each agent.
 *
 * <pre>
 *   htable TABLE: AOR = turn:HOST:PORT;username="USER";credential="PASSWORD"
 *
 *   HOST: the node nearest to the agent, or the provider's own relay if no node covers it
 * </pre>
 *
 * <p>An entry is written when an agent registers, when its node changes, when Kamailio was
 * restarted, and when half of the credentials' lifetime is over. Kamailio forgets it at the end of
 * that lifetime.
 */
final class MediaRelayPart implements Part {
  private static final int CALLS_PER_TURN = 200;
  private static final long RETRY_MILLIS = 2_000;

  /**
   * The settings of the part.
   *
   * @param lifetimeMillis of credentials
   * @param own host and port; null = the provider has no relay of its own
   */
  record Settings(int port, long lifetimeMillis, String own, String table) {}

  private record Due(long time, long number, String aor) {}

  /** The agent that stands for an AOR: the one that registered last. */
  private static final class Entry {
    Agent agent;
    Due due;
    String relay = "";
  }

  private final Coverage coverage;
  private final String module;
  private final AgentTable agents;
  private final Rpc rpc;
  private final Credentials credentials;
  private final Settings settings;
  private final Map<String, Entry> entries = new HashMap<>();
  private final TreeSet<Due> due =
      new TreeSet<>(Comparator.comparingLong(Due::time).thenComparingLong(Due::number));
  private long number;
  private long pushed;

  MediaRelayPart(
      Coverage coverage,
      String module,
      AgentTable agents,
      Rpc rpc,
      Credentials credentials,
      Settings settings) {
    this.coverage = coverage;
    this.module = module;
    this.agents = agents;
    this.rpc = rpc;
    this.credentials = credentials;
    this.settings = settings;
  }

  @Override
  public String name() {
    return "media-relay";
  }

  @Override
  public void restore(long now) {
    coverage.restore(now);
  }

  @Override
  public void settle(long now) {
    coverage.settle(now);
  }

  @Override
  public void connected(long now) {
    List.copyOf(entries.keySet()).forEach(aor -> plan(aor, now));
  }

  @Override
  public void came(Agent agent, long now) {
    if (agent.registered()) {
      coverage.want(agent.address(), now);
    }
  }

  @Override
  public void heard(Agent agent, long until, long now) {
    if (agent.registered()) {
      entries.computeIfAbsent(agent.aor(), aor -> new Entry()).agent = agent;
      plan(agent.aor(), now);
    }
  }

  @Override
  public void went(Agent agent, long now) {
    if (!agent.registered()) {
      return;
    }
    coverage.unwant(agent.address(), now);
    Entry entry = entries.get(agent.aor());
    if (entry != null && entry.agent.equals(agent)) {
      entries.remove(agent.aor());
      if (entry.due != null) {
        due.remove(entry.due);
      }
      rpc.call("htable.delete", List.of(settings.table(), agent.aor()), answer -> {});
    }
  }

  /** Another node covers an address, or none. */
  void moved(InetAddress address, long now) {
    for (Agent agent : agents.at(address)) {
      Entry entry = entries.get(agent.aor());
      if (entry != null && entry.agent.equals(agent) && !entry.relay.equals(relay(address))) {
        plan(agent.aor(), now);
      }
    }
  }

  @Override
  public void turn(long now) {
    coverage.turn(now);
    for (int i = 0; i < CALLS_PER_TURN && !due.isEmpty() && due.first().time() <= now; i++) {
      push(due.pollFirst().aor(), now);
    }
  }

  private void plan(String aor, long time) {
    Entry entry = entries.get(aor);
    if (entry == null) {
      return;
    }
    if (entry.due != null) {
      due.remove(entry.due);
    }
    entry.due = new Due(time, number++, aor);
    due.add(entry.due);
  }

  private void push(String aor, long now) {
    Entry entry = entries.get(aor);
    plan(aor, now + settings.lifetimeMillis() / 2);
    entry.relay = relay(entry.agent.address());
    if (entry.relay.isEmpty()) {
      return;
    }
    Credentials.Pair pair = credentials.of(aor, now);
    String value =
        "turn:%s;username=\"%s\";credential=\"%s\""
            .formatted(entry.relay, pair.user(), pair.password());
    int seconds = (int) (settings.lifetimeMillis() / 1000);
    boolean called =
        rpc.call(
            "htable.setxs",
            List.of(settings.table(), aor, value, seconds),
            answer -> told(aor, answer, now));
    if (!called) {
      plan(aor, now + RETRY_MILLIS);
    }
  }

  /** A call that was lost is made again by {@link #connected}. */
  private void told(String aor, RpcAnswer answer, long now) {
    if (answer.done()) {
      pushed++;
    } else if (answer.code() != RpcAnswer.LOST) {
      plan(aor, now + settings.lifetimeMillis() / 8);
    }
  }

  /** Returns host and port of the relay for an address; empty = there is none. */
  private String relay(InetAddress address) {
    String own = settings.own() == null ? "" : settings.own();
    return coverage.covering(address).map(node -> host(node) + ":" + settings.port()).orElse(own);
  }

  private static String host(InetAddress address) {
    String text = Addresses.print(address);
    return text.indexOf(':') < 0 ? text : "[" + text + "]";
  }

  @Override
  public ObjectNode status(long now) {
    ObjectNode status = CoverageStatus.of(coverage, module, now);
    status
        .put("relays-told", pushed)
        .put("relays-due", (long) due.headSet(new Due(now + 1, 0, ""), true).size());
    return status;
  }
}
