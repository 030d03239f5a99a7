// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.dns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServicePrefix;
import org.netserv.servicerouter.Datagrams;
import org.netserv.servicerouter.LoopbackRouter;
import org.netserv.servicerouter.core.Outcome;
import org.netserv.servicerouter.feed.Resolver;
import org.netserv.servicerouter.net.LoopbackHost;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.TSIG;
import org.xbill.DNS.Type;

/** Look-ups and updates by sockets of the loopback interface. */
class DnsTest {
  private static final Name ZONE = ServiceName.zone("serval.example");
  private static final Endpoint HOST = Endpoint.ofIpv4(0xc0000207, 54325);
  private static final Endpoint OTHER = Endpoint.ofIpv4(0xc0000208, 54325);
  private static final String SECRET = "c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0";
  private static final TSIG KEY = new TSIG(TSIG.HMAC_SHA256, "router.", SECRET);
  private static final long NOW = 1_000_000;

  private static Record record(ServicePrefix prefix, Endpoint target, long until) {
    return new ServiceRecord(target, 0, 1, prefix.bits(), until)
        .svcb(ServiceName.of(prefix, ZONE).get(0), 20);
  }

  private static Resolver.Answer ask(FakeDns dns) throws Exception {
    CompletableFuture<Resolver.Answer> answer = new CompletableFuture<>();
    DnsResolver resolver =
        new DnsResolver(
            List.of(dns.address()), "serval.example", Type.SVCB, 4, Runnable::run, () -> NOW);
    resolver.resolve(Datagrams.SHOP, answer::complete);
    Resolver.Answer got = answer.get(20, TimeUnit.SECONDS);
    resolver.close();
    return got;
  }

  @Test
  void anAnswerCutOrWholeAmidForgedOnes() throws Exception {
    for (boolean cuts : new boolean[] {false, true}) {
      try (FakeDns dns = new FakeDns(null)) {
        ServicePrefix shop = ServicePrefix.of(Datagrams.SHOP);
        dns.records.add(record(shop, HOST, NOW + 5));
        dns.records.add(record(shop, OTHER, NOW));
        dns.cuts = cuts;
        dns.lies = 3;
        dns.silent = 1;
        Resolver.Answer answer = ask(dns);
        assertEquals(Resolver.Status.FOUND, answer.status());
        assertEquals(List.of(new Resolver.Found(HOST, 256, 0, 1, 5)), answer.found());
        assertEquals(cuts ? 3 : 2, dns.questions.get());
      }
    }
  }

  @Test
  void nothingThere() throws Exception {
    try (FakeDns dns = new FakeDns(null)) {
      assertEquals(Resolver.Status.NONE, ask(dns).status());
      dns.silent = 100;
      assertEquals(Resolver.Status.FAILED, ask(dns).status());
    }
  }

  private static String text(FakeDns dns) {
    return "127.0.0.1:" + dns.address().getPort();
  }

  /** One router publishes what is registered with it, and another one finds it. */
  @Test
  void oneRouterPublishesAndAnotherFinds() throws Exception {
    AtomicLong clock = new AtomicLong();
    Endpoint near = LoopbackRouter.free(3);
    Endpoint far = LoopbackRouter.free(4);
    try (FakeDns dns = new FakeDns(KEY);
        FakeDns open = new FakeDns(null)) {
      dns.records.add(record(ServicePrefix.of(Datagrams.SHOP), far, 1)); // of an earlier life
      try (LoopbackRouter two =
              new LoopbackRouter(
                  far,
                  () -> System.nanoTime() / 1_000_000,
                  "registrations",
                  "0000",
                  "routers",
                  LoopbackRouter.text(near),
                  "dns-zone",
                  "serval.example",
                  "dns-update",
                  text(dns),
                  "dns-key",
                  "hmac-sha256:router:" + SECRET);
          LoopbackHost server = new LoopbackHost(5, far)) {
        server.register();
        two.await(Outcome.RULE_OK, 1);
        until(dns, 1);
        ServiceRecord published = ServiceRecord.of(dns.all().get(0));
        assertEquals(far, published.target());
        open.records.addAll(dns.all());
        find(clock, near, open, server);
      }
      until(dns, 0);
    }
  }

  private static void find(AtomicLong clock, Endpoint near, FakeDns open, LoopbackHost server)
      throws IOException, InterruptedException {
    try (LoopbackRouter one =
            new LoopbackRouter(
                near,
                clock::get,
                "lookups",
                "0000",
                "dns-zone",
                "serval.example",
                "dns-servers",
                text(open));
        LoopbackHost client = new LoopbackHost(2, near)) {
      client.connect(0);
      assertEquals("REQUEST", server.take(0).name());
      assertEquals("CONTROL", client.take(0).name());
      assertEquals(server.own, client.sender());
      assertEquals(1, one.count(Outcome.LOOKUP_FOUND));
    }
  }

  private static void until(FakeDns dns, int records) throws InterruptedException {
    long end = System.nanoTime() + 20_000_000_000L;
    while (dns.all().size() != records
        || (records > 0 && ServiceRecord.of(dns.all().get(0)).until() == 1)) {
      assertTrue(System.nanoTime() - end < 0, dns.all().toString());
      Thread.sleep(5);
    }
  }

  /** An update without the right key changes nothing, and is tried again. */
  @Test
  void aWrongKey() throws Exception {
    try (FakeDns dns = new FakeDns(KEY);
        LoopbackRouter router =
            new LoopbackRouter(
                LoopbackRouter.free(3),
                () -> System.nanoTime() / 1_000_000,
                "rules",
                "00004001=192.0.2.7:54325",
                "announce",
                "0000",
                "dns-zone",
                "serval.example",
                "dns-update",
                text(dns),
                "dns-key",
                "hmac-sha256:router:" + SECRET.replace('c', 'd'))) {
      router.await(Outcome.UPDATE_REFUSED, 2);
      assertEquals(List.of(), dns.all());
    }
  }
}
