// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lease at a gateway that asks for certificates. */
class EtcdTlsTest {
  private static final Map<String, String> ENTRIES = Map.of("40/8/a", "one");

  @TempDir static Path directory;
  private static TestKeys server;
  private static TestKeys elsewhere;
  private static TestKeys router;
  private static TestKeys stranger;

  @BeforeAll
  static void makeKeys() throws Exception {
    server = TestKeys.make(directory, "server", "127.0.0.1");
    elsewhere = TestKeys.make(directory, "elsewhere", "192.0.2.1");
    router = TestKeys.make(directory, "router", "192.0.2.2");
    stranger = TestKeys.make(directory, "stranger", "192.0.2.3").trusts("server", server);
    server.trusts("router", router);
    elsewhere.trusts("router", router);
    router.trusts("server", server).trusts("elsewhere", elsewhere);
  }

  private static SSLSocketFactory keys(TestKeys of) throws Exception {
    return EtcdKeys.of(of.text(), TestKeys.PASSWORD);
  }

  private static int renew(FakeEtcd etcd, SSLSocketFactory keys) throws Exception {
    List<InetSocketAddress> addresses = List.of(etcd.address());
    return new EtcdLease(new EtcdServers(addresses, keys), "/serval/", 3).renew(ENTRIES);
  }

  @Test
  void aRouterThatIsKnownWritesItsEntries() throws Exception {
    try (FakeEtcd etcd = new FakeEtcd(server.context())) {
      assertEquals(1, renew(etcd, keys(router)));
      assertEquals(1, etcd.all().size());
    }
  }

  @Test
  void aRouterWithAnotherKeyWritesNothing() throws Exception {
    try (FakeEtcd etcd = new FakeEtcd(server.context())) {
      SSLSocketFactory keys = keys(stranger);
      assertThrows(IOException.class, () -> renew(etcd, keys));
      assertThrows(IOException.class, () -> renew(etcd, null));
      assertEquals(Map.of(), etcd.all());
    }
  }

  @Test
  void aServerThatNoAuthorityCertifiesIsRefused() throws Exception {
    TestKeys other = TestKeys.make(directory, "other", "127.0.0.1").trusts("router", router);
    try (FakeEtcd etcd = new FakeEtcd(other.context())) {
      SSLSocketFactory keys = keys(router);
      assertThrows(SSLException.class, () -> renew(etcd, keys));
      assertEquals(Map.of(), etcd.all());
    }
  }

  @Test
  void aServerOfAnotherAddressIsRefused() throws Exception {
    try (FakeEtcd etcd = new FakeEtcd(elsewhere.context())) {
      SSLSocketFactory keys = keys(router);
      assertThrows(IOException.class, () -> renew(etcd, keys));
      assertEquals(Map.of(), etcd.all());
    }
  }

  @Test
  void aFileWithoutAnAuthorityIsRefused() throws Exception {
    String alone = TestKeys.make(directory, "alone", "192.0.2.4").text();
    assertThrows(IllegalArgumentException.class, () -> EtcdKeys.of(alone, TestKeys.PASSWORD));
    String text = router.text();
    assertThrows(IllegalArgumentException.class, () -> EtcdKeys.of(text, "wrong"));
    assertThrows(IllegalArgumentException.class, () -> EtcdKeys.of("AAAA", ""));
  }
}
