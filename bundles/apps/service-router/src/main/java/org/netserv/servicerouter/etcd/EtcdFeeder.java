// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.etcd;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
import org.netserv.servicerouter.feed.StoreMirror;

/**
 * Shares the prefixes of a router with other routers by etcd. Entries are read by one thread, and
 * written by another one, which keeps the lease alive, too.
 */
public final class EtcdFeeder implements Feeder {
  /** Milliseconds. A watch that is ended may wait so long for the store. */
  private static final long SILENCE_MOST = 5000;

  private static final long MILLIS = 1000;
  private static final long RETRY = 1000;

  /**
   * The choices.
   *
   * @param servers of the store
   * @param prefix of the keys, with a slash at its end
   * @param name of this router among the others, without a slash
   * @param own the target of its entries, as text
   * @param address the target of its entries
   * @param seconds for which entries live without their router
   */
  public record Choice(
      EtcdServers servers, String prefix, String name, String own, Endpoint address, int seconds) {}

  private final Choice choice;
  private final EtcdLease lease;
  private final EtcdWatch watch;
  private final Executor router;
  private final Tally<Outcome> tally;
  private final ExecutorService writer;
  private Map<String, String> wanted = Map.of();
  private boolean changed;
  private boolean busy;
  private long renewAt;

  /**
   * Begins to read.
   *
   * @param router runs tasks on the router's thread
   * @param clock of the router, in milliseconds
   */
  public EtcdFeeder(
      Choice choice,
      StoreMirror mirror,
      Executor router,
      LongSupplier clock,
      Tally<Outcome> tally) {
    this.choice = choice;
    this.router = router;
    this.tally = tally;
    lease = new EtcdLease(choice.servers(), choice.prefix(), choice.seconds());
    int silence = (int) Math.min(SILENCE_MOST, MILLIS * choice.seconds() / 3);
    watch = new EtcdWatch(choice.servers(), choice.prefix(), silence, new Mirrored(mirror, clock));
    writer = Executors.newSingleThreadExecutor(work -> daemon(work, "service-router-lease"));
    daemon(watch, "service-router-etcd").start();
  }

  private static Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Has the mirror take entries on the router's thread. */
  private final class Mirrored implements EtcdWatch.Listener {
    private final StoreMirror mirror;
    private final LongSupplier clock;

    private Mirrored(StoreMirror mirror, LongSupplier clock) {
      this.mirror = mirror;
      this.clock = clock;
    }

    @Override
    public void snapshot(List<StoreMirror.Entry> entries) {
      router.execute(() -> mirror.snapshot(entries, clock.getAsLong()));
    }

    @Override
    public void put(StoreMirror.Entry entry) {
      router.execute(() -> mirror.put(entry, clock.getAsLong()));
    }

    @Override
    public void remove(String key) {
      router.execute(() -> mirror.remove(key));
    }

    @Override
    public void alive() {
      router.execute(() -> mirror.alive(clock.getAsLong()));
    }

    @Override
    public void lost() {
      router.execute(() -> tally.count(Outcome.STORE_LOST));
    }
  }

  @Override
  public void announced(Announcements announcements, long now) {
    Map<String, String> next = new HashMap<>();
    for (Map.Entry<ServicePrefix, Integer> each :
        announcements.toward(choice.address(), now).entrySet()) {
      next.put(each.getKey() + "/" + choice.name(), choice.own() + "*" + each.getValue());
    }
    changed |= !next.equals(wanted);
    wanted = next;
    tick(now);
  }

  @Override
  public void tick(long now) {
    if (busy || (now < renewAt && !changed)) {
      return;
    }
    busy = true;
    changed = false;
    Map<String, String> entries = wanted;
    writer.execute(
        () -> {
          int changes = renew(entries);
          router.execute(() -> renewed(changes, now));
        });
  }

  /** Returns the number of changes, -1 after a failure. */
  private int renew(Map<String, String> entries) {
    try {
      return lease.renew(entries);
    } catch (IOException | RuntimeException e) {
      return -1;
    }
  }

  private void renewed(int changes, long now) {
    busy = false;
    if (changes < 0) {
      tally.count(Outcome.STORE_LOST);
      renewAt = now + RETRY;
      return;
    }
    for (int i = 0; i < changes; i++) {
      tally.count(Outcome.STORE_WRITTEN);
    }
    renewAt = now + MILLIS * choice.seconds() / 3;
  }

  @Override
  public void end(boolean forGood, long now) {
    watch.end();
    if (forGood) {
      writer.execute(this::revoke);
    }
    writer.shutdown();
  }

  private void revoke() {
    try {
      lease.revoke();
    } catch (IOException | RuntimeException e) {
      tally.count(Outcome.STORE_LOST); // the store removes the entries later
    }
  }
}
