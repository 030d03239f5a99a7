// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.netserv.packet.Answer;
import org.netserv.packet.AnswerTemplate;
import org.netserv.packet.Answers;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;

/**
 * The agents whose keep-alives the kernel answers. An agent is handed over with a keep-alive that
 * the module has just answered, and so never while its server is dead or seems silent.
 *
 * <pre>
 *   packet thread  of, next, back          which agents, how many answers
 *   link           withdraw, heard         a dead server, agents for the reports
 * </pre>
 *
 * <p>A packet allocates nothing, unless its agent is handed over.
 */
final class KernelAnswers {
  /** Agents at most: the node has so many places for a container. */
  static final int AGENTS_MOST = 4096;

  private static final int SWEEP_MICROS = 1_000_000;
  private static final int PAUSE_MICROS = 10_000_000;

  private final Answers service; // null = there is none
  private final int seconds;
  private final Map<KernelEntry, KernelEntry> entries = new HashMap<>();
  private final Set<KernelEntry> live = ConcurrentHashMap.newKeySet();
  private final KernelEntry probe = new KernelEntry();
  private final AtomicLong answered = new AtomicLong(); // by the kernel, of entries as collected
  private final AtomicLong asked = new AtomicLong();
  private final AtomicLong withdrawn = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private int swept;
  private int pause; // when the node refused
  private boolean paused;
  private volatile boolean closed;

  /**
   * @param service null = this container has no such service
   * @param seconds for which the kernel answers an agent; 0 = never
   */
  KernelAnswers(Answers service, int seconds) {
    this.service = seconds > 0 ? service : null;
    this.seconds = seconds;
  }

  /** Tells whether there may be answers at all. */
  boolean isWanted() {
    return service != null;
  }

  /** Returns the entry of the packet's agent and server, or null. */
  KernelEntry of(Packet packet) {
    return entries.isEmpty() ? null : entries.get(probe.point(packet));
  }

  /**
   * Returns the number of keep-alives that the kernel has answered since the agent's last one that
   * came here. {@code entry} may be null.
   */
  int back(KernelEntry entry, int micros) {
    if (entry == null) {
      return 0;
    }
    answered.addAndGet(entry.collect());
    int since = entry.back(micros);
    if (entry.isRefused()) {
      refused.incrementAndGet();
      forget(entry);
      entries.remove(entry);
      pause = micros;
      paused = true;
    }
    return since;
  }

  /** Tells whether the node has refused an answer lately. It would refuse others, too. */
  private boolean isPaused(int micros) {
    paused &= Integer.compareUnsigned(micros - pause, PAUSE_MICROS) < 0;
    return paused;
  }

  /** Makes an entry for the packet's agent, or returns null if there is no place. */
  KernelEntry make(Packet packet, int server) {
    if (service == null || isPaused(packet.arrivalMicros()) || !service.available()) {
      return null;
    }
    if (entries.size() >= AGENTS_MOST || service.free() == 0) {
      sweep(packet.arrivalMicros());
      if (entries.size() >= AGENTS_MOST || service.free() == 0) {
        return null;
      }
    }
    KernelEntry entry = new KernelEntry().point(packet).begin(server, packet.arrivalMicros());
    entries.put(entry, entry);
    return entry;
  }

  /** Frees the places of agents whose answer has ended, once a second at most. */
  private void sweep(int micros) {
    if (Integer.compareUnsigned(micros - swept, SWEEP_MICROS) < 0) {
      return;
    }
    swept = micros;
    entries.keySet().removeIf(this::isOver);
  }

  private boolean isOver(KernelEntry entry) {
    if (!entry.isOver()) {
      return false;
    }
    forget(entry);
    return true;
  }

  private void forget(KernelEntry entry) {
    answered.addAndGet(entry.collect());
    entry.withdraw();
    live.remove(entry);
  }

  /**
   * Hands the next keep-alives of an agent to the kernel, if that is right now.
   *
   * @param template of the keep-alive that was just answered; null = it is not known
   * @param budget so many are answered; 0 = any number, -1 = none
   */
  void next(KernelEntry entry, AnswerTemplate template, int budget, Decision decision) {
    boolean stale = entry.hasAnswer() && entry.isStale(template);
    if (!stale && !entry.wants(budget)) {
      return;
    }
    if (stale || entry.isOver()) { // an answer that has ended keeps its numbers
      AnswerTemplate next = stale ? template : entry.template();
      forget(entry);
      take(entry, service.make(next));
    } else if (!entry.hasAnswer() && template != null) {
      take(entry, service.make(template));
    }
    if (!entry.wants(budget)) {
      return;
    }
    if (entry.hasAnswer()) {
      decision.answerNext(entry.arm(budget), budget, seconds);
      asked.incrementAndGet();
    }
  }

  private void take(KernelEntry entry, Answer made) {
    if (made != null) {
      entry.take(made);
      live.add(entry);
    }
    if (closed) {
      entry.withdraw();
    }
  }

  /** Ends all answers, because the server seems silent to its agents. */
  void clear() {
    if (!entries.isEmpty()) {
      withdrawn.addAndGet(entries.size());
      entries.keySet().forEach(this::forget);
      entries.clear();
    }
  }

  // ---- from any thread

  /** Ends the answers for a dead server. Answers made meanwhile end at the next call. */
  void withdraw(int server) {
    live.removeIf(entry -> entry.isOf(server) && lose(entry));
  }

  private boolean lose(KernelEntry entry) {
    withdrawn.incrementAndGet();
    answered.addAndGet(entry.uncollected());
    entry.withdraw();
    return true;
  }

  /** Ends all answers for good. */
  void close() {
    closed = true;
    live.forEach(KernelEntry::withdraw);
  }

  /**
   * Tells of agents that the kernel has answered lately. Only the link.
   *
   * @param every seconds between two reports of an agent
   * @param most agents
   * @return the number of agents
   */
  int heard(int every, int most, KernelEntry.Taker taker) {
    int told = 0;
    for (KernelEntry entry : live) {
      if (told == most) {
        break;
      }
      told += entry.tell(every, taker) ? 1 : 0;
    }
    return told;
  }

  /** Adds the counters above zero. */
  void counters(Map<String, Long> into) {
    long sum = answered.get();
    for (KernelEntry entry : live) {
      sum += entry.uncollected();
    }
    put(into, "KERNEL_ANSWERED", sum);
    put(into, "KERNEL_ASKED", asked.get());
    put(into, "KERNEL_REFUSED", refused.get());
    put(into, "KERNEL_WITHDRAWN", withdrawn.get());
    put(into, "KERNEL_AGENTS", live.size());
  }

  private static void put(Map<String, Long> into, String name, long value) {
    if (value > 0) {
      into.put(name, value);
    }
  }
}
