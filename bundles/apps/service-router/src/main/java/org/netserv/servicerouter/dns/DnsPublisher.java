// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.dns;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServicePrefix;
import org.netserv.servicerouter.core.Announcements;
import org.netserv.servicerouter.core.Feeder;
import org.netserv.servicerouter.core.Outcome;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.TSIG;
import org.xbill.DNS.Type;
import org.xbill.DNS.Update;

/**
 * Publishes the prefixes that a router announces in a zone, by dynamic updates (RFC 2136) that a
 * key signs (RFC 8945). The target is the router. One update is under way at a time, and what
 * changes meanwhile goes with the next. A record has an end, because nobody withdraws those of a
 * router that was killed. Each name is updated again after half of that time. An update takes away
 * the records of this router and those that have ended, and leaves those of other routers.
 */
public final class DnsPublisher implements Feeder {
  private static final System.Logger LOG = System.getLogger(DnsPublisher.class.getName());

  /** Names in one update. */
  private static final int BATCH = 50;

  private static final long MILLIS = 1000;
  private static final long RETRY_LEAST = 1000;
  private static final long RETRY_MOST = 30_000;

  /**
   * The choices.
   *
   * @param server of the zone
   * @param type SVCB or TXT
   * @param lifeSeconds of a record
   * @param ttl of a record in caches
   * @param own the target of the records
   */
  public record Choice(
      InetSocketAddress server,
      String zone,
      TSIG key,
      int type,
      int lifeSeconds,
      int ttl,
      Endpoint own) {}

  private record Wanted(int bits, int weight) {}

  private final Choice choice;
  private final Name zone;
  private final DnsExchange exchange;
  private final Executor router;
  private final LongSupplier seconds;
  private final Tally<Outcome> tally;
  private final ExecutorService thread;
  private final Map<Name, Wanted> wanted = new HashMap<>();
  private final Map<Name, Wanted> published = new HashMap<>();
  private final Map<Name, Long> due = new HashMap<>(); // the time of the next update of a name
  private boolean busy;
  private long retryAt;
  private long pause = RETRY_LEAST;

  /**
   * Makes a publisher that has published nothing.
   *
   * @param router runs a task on the thread of the router
   * @param seconds since 1970
   */
  public DnsPublisher(Choice choice, Executor router, LongSupplier seconds, Tally<Outcome> tally) {
    this.choice = choice;
    zone = ServiceName.zone(choice.zone());
    exchange = new DnsExchange(List.of(choice.server()), choice.key());
    this.router = router;
    this.seconds = seconds;
    this.tally = tally;
    thread =
        Executors.newSingleThreadExecutor(
            work -> {
              Thread made = new Thread(work, "service-router-update");
              made.setDaemon(true);
              return made;
            });
  }

  /**
   * Checks the name of a zone.
   *
   * @throws IllegalArgumentException that begins with the name of the property
   */
  public static void checkZone(String property, String zone) {
    try {
      Name unused = ServiceName.zone(zone);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(property + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void announced(Announcements announcements, long now) {
    announced(announcements.toward(choice.own(), now), now);
  }

  private void announced(Map<ServicePrefix, Integer> prefixes, long now) {
    wanted.clear();
    prefixes.forEach(
        (prefix, weight) ->
            ServiceName.of(prefix, zone)
                .forEach(name -> wanted.put(name, new Wanted(prefix.bits(), weight))));
    Set<Name> all = new HashSet<>(wanted.keySet());
    all.addAll(published.keySet());
    for (Name name : all) {
      if (!Objects.equals(wanted.get(name), published.get(name))) {
        due.put(name, now);
      }
    }
    tick(now);
  }

  @Override
  public void tick(long now) {
    if (busy || now < retryAt) {
      return;
    }
    Map<Name, Wanted> batch = new HashMap<>();
    for (Map.Entry<Name, Long> each : due.entrySet()) {
      if (each.getValue() <= now && batch.size() < BATCH) {
        batch.put(each.getKey(), wanted.get(each.getKey()));
      }
    }
    if (batch.isEmpty()) {
      return;
    }
    busy = true;
    tally.count(Outcome.UPDATE_SENT);
    thread.execute(
        () -> {
          boolean taken = isTaken(batch);
          router.execute(() -> done(batch, taken, now));
        });
  }

  private void done(Map<Name, Wanted> batch, boolean taken, long now) {
    busy = false;
    if (!taken) {
      tally.count(Outcome.UPDATE_REFUSED);
      retryAt = now + pause;
      pause = Math.min(RETRY_MOST, 2 * pause);
      return;
    }
    pause = RETRY_LEAST;
    batch.forEach(
        (name, content) -> {
          boolean same = Objects.equals(content, wanted.get(name));
          if (content == null) {
            published.remove(name);
          } else {
            published.put(name, content);
          }
          if (same && content == null) {
            due.remove(name);
          } else {
            due.put(name, same ? now + MILLIS * choice.lifeSeconds() / 2 : now);
          }
        });
  }

  /** Updates names. Runs on the thread of updates. */
  private boolean isTaken(Map<Name, Wanted> batch) {
    try {
      long now = seconds.getAsLong();
      Update update = new Update(zone);
      for (Map.Entry<Name, Wanted> each : batch.entrySet()) {
        for (Record old : old(each.getKey(), now)) {
          update.delete(old);
        }
        if (each.getValue() != null) {
          update.add(record(each.getKey(), each.getValue(), now));
        }
      }
      return exchange.ask(update, true).getRcode() == Rcode.NOERROR;
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.DEBUG, "an update of " + zone + " failed", e);
      return false;
    }
  }

  private Record record(Name name, Wanted content, long now) {
    ServiceRecord record =
        new ServiceRecord(
            choice.own(), 0, content.weight(), content.bits(), now + choice.lifeSeconds());
    return choice.type() == Type.TXT
        ? record.txt(name, choice.ttl())
        : record.svcb(name, choice.ttl());
  }

  /** Returns the records of a name that an update takes away. */
  private List<Record> old(Name name, long now) throws IOException {
    Message question = Message.newQuery(Record.newRecord(name, choice.type(), DClass.IN));
    return exchange.ask(question, true).getSection(Section.ANSWER).stream()
        .filter(record -> record.getName().equals(name) && isOld(ServiceRecord.of(record), now))
        .toList();
  }

  private boolean isOld(ServiceRecord record, long now) {
    return record != null && (record.target().equals(choice.own()) || record.until() <= now);
  }

  /** Withdraws all. The thread ends behind the last update. */
  @Override
  public void end(boolean forGood, long now) {
    if (forGood && !published.isEmpty()) {
      Map<Name, Wanted> none = new HashMap<>();
      published.keySet().forEach(name -> none.put(name, null));
      thread.execute(() -> isTaken(none));
    }
    thread.shutdown();
  }
}
