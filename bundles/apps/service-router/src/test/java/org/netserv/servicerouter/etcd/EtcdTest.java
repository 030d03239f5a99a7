// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.netserv.servicerouter.feed.StoreMirror.Entry;

/** A watch and a lease at a gateway that tells what the test says. */
class EtcdTest {
  private static final String PREFIX = "/serval/";
  private static final int SILENCE_MILLIS = 60_000;

  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private final AtomicInteger lines = new AtomicInteger();

  private final EtcdWatch.Listener listener =
      new EtcdWatch.Listener() {
        @Override
        public void snapshot(List<Entry> entries) {
          told.add("snapshot " + entries.stream().map(each -> each.key()).sorted().toList());
        }

        @Override
        public void put(Entry entry) {
          told.add("put " + entry.key() + " " + entry.value());
        }

        @Override
        public void remove(String key) {
          told.add("remove " + key);
        }

        @Override
        public void alive() {
          lines.incrementAndGet();
        }

        @Override
        public void lost() {
          told.add("lost");
        }
      };

  private String next() throws InterruptedException {
    return told.poll(20, TimeUnit.SECONDS);
  }

  private static EtcdServers servers(FakeEtcd etcd) {
    return new EtcdServers(List.of(etcd.address()), null);
  }

  private EtcdWatch start(FakeEtcd etcd) {
    EtcdWatch watch = new EtcdWatch(servers(etcd), PREFIX, SILENCE_MILLIS, listener);
    Thread thread = new Thread(watch);
    thread.setDaemon(true);
    thread.start();
    return watch;
  }

  @Test
  void entriesAndChanges() throws Exception {
    try (FakeEtcd etcd = new FakeEtcd()) {
      etcd.set(PREFIX + "40/8/a", "192.0.2.7:1");
      EtcdWatch watch = start(etcd);
      assertEquals("snapshot [40/8/a]", next());
      etcd.watch.add(FakeEtcd.event(PREFIX + "41/8/b", "192.0.2.8:1*2"));
      assertEquals("put 41/8/b 192.0.2.8:1*2", next());
      etcd.watch.add(FakeEtcd.event(PREFIX + "40/8/a", null));
      assertEquals("remove 40/8/a", next());
      assertTrue(lines.get() >= 2);
      watch.end();
    }
  }

  /** Each has the watch read all entries again. */
  @Test
  void brokenLines() throws Exception {
    String good = FakeEtcd.event(PREFIX + "41/8/b", "192.0.2.8:1");
    try (FakeEtcd etcd = new FakeEtcd()) {
      EtcdWatch watch = start(etcd);
      assertEquals("snapshot []", next());
      for (String line :
          List.of(
              FakeEtcd.END,
              "{",
              good.substring(0, good.length() - 4),
              "{\"error\":{\"message\":\"compacted\"}}",
              "{\"result\":{\"canceled\":true,\"compact_revision\":\"9\"}}",
              FakeEtcd.event("/other/41", "x"),
              good.replace(EtcdClient.base64(PREFIX + "41/8/b"), "#"))) {
        etcd.watch.add(line);
        assertEquals("lost", next(), line);
        etcd.watch.add(FakeEtcd.END); // for the server's end of a connection that is gone
        String seen = next();
        while ("lost".equals(seen)) {
          seen = next();
        }
        assertEquals("snapshot []", seen, line);
        etcd.watch.clear();
      }
      watch.end();
    }
  }

  /** Mutants of a line never end the thread of the watch. */
  @Test
  void mutants() throws Exception {
    Random random = new Random(5);
    byte[] good = FakeEtcd.event(PREFIX + "41/8/b", "v").getBytes(StandardCharsets.ISO_8859_1);
    int read = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bad = good.clone();
      bad[random.nextInt(bad.length)] = (byte) (32 + random.nextInt(96));
      try (var lines =
          new BufferedReader(new StringReader(new String(bad, StandardCharsets.ISO_8859_1)))) {
        read += EtcdClient.line(lines).path("result").isMissingNode() ? 0 : 1;
      } catch (IOException e) {
        read += 0; // the watch begins again
      }
    }
    assertEquals(true, read > 1000);
  }

  @Test
  void aLeaseAndItsEntries() throws Exception {
    try (FakeEtcd etcd = new FakeEtcd()) {
      EtcdLease lease = new EtcdLease(servers(etcd), PREFIX, 3);
      assertEquals(2, lease.renew(Map.of("40/8/a", "one", "41/8/a", "two")));
      assertEquals(0, lease.renew(Map.of("40/8/a", "one", "41/8/a", "two")));
      assertEquals(2, lease.renew(Map.of("40/8/a", "three")));
      assertEquals(
          Map.of(EtcdClient.base64(PREFIX + "40/8/a"), EtcdClient.base64("three")), etcd.all());
      assertEquals(1, etcd.leases());
      etcd.forgetsLeases = true;
      assertEquals(1, lease.renew(Map.of("40/8/a", "three")));
      assertEquals(2, etcd.leases());
      lease.revoke();
      assertEquals(Map.of(), etcd.all());
    }
  }
}
