// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.fetch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.artifact.fetch.FetchException.Reason;
import org.netserv.values.Prefix;

/**
 * https: the certificate must be for the name in the URL, although the address was pinned before.
 */
class TlsTest {
  private static final byte[] BODY = {1, 2, 3};
  private static final char[] NO_PASSWORD = {};
  private HttpsServer server;
  private TrustManagerFactory authorities;

  @BeforeEach
  void start() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(256);
    KeyPair keys = generator.generateKeyPair();
    X509Certificate certificate = certificate(keys, "bundles.example");
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("server", keys.getPrivate(), NO_PASSWORD, new Certificate[] {certificate});
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(store, NO_PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);

    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    trust.setCertificateEntry("server", certificate);
    authorities = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    authorities.init(trust);

    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context));
    server.createContext("/a", exchange -> TestServer.reply(exchange, 200, BODY));
    server.createContext(
        "/down",
        exchange -> {
          exchange.getResponseHeaders().set("Location", "http://bundles.example:" + port() + "/a");
          exchange.sendResponseHeaders(302, -1);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private int port() {
    return server.getAddress().getPort();
  }

  private static X509Certificate certificate(KeyPair keys, String host) throws Exception {
    JcaX509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
            new X500Name("CN=" + host),
            BigInteger.ONE,
            Date.from(Instant.now().minusSeconds(3600)),
            Date.from(Instant.now().plusSeconds(3600)),
            new X500Name("CN=" + host),
            keys.getPublic());
    builder.addExtension(
        Extension.subjectAlternativeName,
        false,
        new GeneralNames(new GeneralName(GeneralName.dNSName, host)));
    return new JcaX509CertificateConverter()
        .getCertificate(
            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
  }

  private byte[] get(String host, String path, TrustManagerFactory trust) throws Exception {
    FetchRules rules =
        new FetchRules(
            List.of(Prefix.parse("127.0.0.1/32")),
            List.of(),
            Set.of(port()),
            100,
            20_000,
            20_000,
            20_000);
    Resolver resolver = name -> List.of(InetAddress.getLoopbackAddress());
    try (GuardedFetcher fetcher = new GuardedFetcher(rules, resolver, Set.of(), trust)) {
      return fetcher.get("https://" + host + ":" + port() + path);
    }
  }

  private void refused(Reason reason, String host, String path, TrustManagerFactory trust) {
    FetchException e = assertThrows(FetchException.class, () -> get(host, path, trust));
    assertEquals(reason, e.reason(), e.getMessage());
  }

  @Test
  void fetchesByName() throws Exception {
    assertArrayEquals(BODY, get("bundles.example", "/a", authorities));
  }

  @Test
  void refusesOtherNameAndOtherAuthority() {
    refused(Reason.CONNECT, "other.example", "/a", authorities);
    refused(Reason.CONNECT, "bundles.example", "/a", null);
  }

  @Test
  void refusesRedirectAwayFromTls() {
    refused(Reason.DOWNGRADE, "bundles.example", "/down", authorities);
  }
}
