// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.activecdn.net.Fetcher;
import org.netserv.activecdn.net.ScriptedOrigin;

/** The module behind TLS on real sockets, with the JDK's client. */
class ActiveCdnTlsTest {
  private static final byte[] CONTENT = new byte[300_000];

  private static ScriptedOrigin origin;
  private static ActiveCdn module;

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    new Random(1).nextBytes(CONTENT);
    origin =
        new ScriptedOrigin(
            (head, out) -> {
              String fields = "HTTP/1.1 200 OK\r\nCache-Control: max-age=100\r\nContent-Length: ";
              out.write((fields + CONTENT.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
              out.write(CONTENT);
              return true;
            });
    Path file = directory.resolve("keys.p12");
    TestKeys.add(file, "first", "RSA", "dns:www.example.com");
    TestKeys.add(file, "second", "EC", "dns:*.example.net,dns:example.net");
    module = TestKeys.module(origin, file);
  }

  @AfterAll
  static void stop() throws IOException {
    module.deactivate();
    origin.close();
  }

  private static SSLSocket connect(String name, String protocol, String... alpn)
      throws IOException, GeneralSecurityException {
    SSLSocket socket =
        (SSLSocket)
            TestKeys.trusting()
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), module.tlsPort());
    SSLParameters parameters = socket.getSSLParameters();
    if (!name.isEmpty()) {
      parameters.setServerNames(List.of(new SNIHostName(name)));
    }
    parameters.setProtocols(new String[] {protocol});
    parameters.setApplicationProtocols(alpn);
    socket.setSSLParameters(parameters);
    return socket;
  }

  @ParameterizedTest
  @CsvSource({
    "www.example.com, TLSv1.3, first",
    "WWW.Example.COM, TLSv1.2, first",
    "example.net, TLSv1.3, second",
    "cdn.example.net, TLSv1.3, second",
    "cdn.example.net, TLSv1.2, second",
    "a.b.example.net, TLSv1.3, first", // a wildcard is one label
    "other.example, TLSv1.3, first",
    "'', TLSv1.3, first",
  })
  void theNameChoosesTheCertificate(String name, String protocol, String subject)
      throws IOException, GeneralSecurityException {
    try (SSLSocket socket = connect(name, protocol, "spdy/3", "http/1.1");
        Fetcher client = new Fetcher(socket)) {
      socket.startHandshake();
      X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
      assertEquals("CN=" + subject, shown.getSubjectX500Principal().getName());
      assertEquals("http/1.1", socket.getApplicationProtocol());
      assertTrue(client.get("/x", "").head().startsWith("HTTP/1.1 200 "));
      assertArrayEquals(CONTENT, client.content());
    }
  }

  @Test
  void connectionsAreKeptAndEndInOrder() throws IOException, GeneralSecurityException {
    try (SSLSocket socket = connect("", "TLSv1.3");
        Fetcher client = new Fetcher(socket)) {
      for (int i = 0; i < 3; i++) {
        client.get("/x", "").head();
        assertArrayEquals(CONTENT, client.content());
      }
      client.get("/x", "Connection: close\r\n").head();
      assertArrayEquals(CONTENT, client.content());
      assertEquals(-1, client.octet(), "close_notify, and not a cut");
    }
  }

  @Test
  void httpsHasItsOwnUris() throws IOException, GeneralSecurityException {
    try (Fetcher plain = new Fetcher(module.port());
        SSLSocket socket = connect("", "TLSv1.3");
        Fetcher secure = new Fetcher(socket)) {
      plain.get("/own", "").head();
      plain.content();
      assertTrue(secure.get("/own", "").head().contains("fwd=uri-miss"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.1", "TLSv1"})
  void oldVersionsAreRefused(String protocol) throws IOException, GeneralSecurityException {
    try (SSLSocket socket = connect("", protocol)) {
      assertThrows(SSLException.class, socket::startHandshake);
    }
  }

  @Test
  void aClientOfOtherProtocolsIsRefused() throws IOException, GeneralSecurityException {
    try (SSLSocket socket = connect("", "TLSv1.3", "stun.turn")) {
      assertThrows(SSLException.class, socket::startHandshake);
    }
  }

  @Test
  void plainHttpToThePortOfTlsIsClosed() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), module.tlsPort())) {
      socket.setSoTimeout(60_000);
      socket
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      byte[] answer = socket.getInputStream().readAllBytes();
      assertTrue(answer.length < 8, "an alert at most"); // a record has five bytes, an alert two
    }
  }
}
