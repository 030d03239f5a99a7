// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.artifact.TestJar;
import org.netserv.artifact.TestSigner;
import org.netserv.artifact.fetch.GuardedFetcher;
import org.netserv.artifact.fetch.Resolver;
import org.netserv.artifact.fetch.TestServer;

class JobMainTest {
  private static final int MILLIS = 20_000;
  private static final String OK_ANSWER =
      "<?xml version=\"1.0\"?><methodResponse><params><param><value><boolean>1</boolean></value></param></params>"
          + "</methodResponse>";

  @TempDir private Path dir;
  private TestServer server;
  private final TestSigner alice = TestSigner.ed25519();

  @BeforeEach
  void start() throws Exception {
    server = new TestServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private int run() {
    return new JobMain(
            Clock.fixed(TestSigner.NOW, ZoneOffset.UTC),
            rules -> new GuardedFetcher(rules, Resolver.SYSTEM, Set.of(), null))
        .run(dir);
  }

  private JobResult ran(JobRequest request, int exit) throws Exception {
    request.write(dir);
    assertEquals(exit, run());
    return JobResult.read(dir);
  }

  private JobRules rules(int millis) throws Exception {
    return JobRules.of(server.rules(1 << 20, millis));
  }

  private JobRequest fetch(String path, byte[] expected) throws Exception {
    String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(expected));
    return JobRequest.fetch(
        server.url(path),
        rules(MILLIS),
        digest,
        List.of(alice.anchorPem()),
        Set.of(),
        "com.example.Module",
        "1.0.0",
        17);
  }

  @Test
  void fetchesVerifiesAndWritesTheSameBytes() throws Exception {
    byte[] jar = alice.sign(TestJar.bundle());
    server.body("/module.jar", jar);
    JobResult result = ran(fetch("/module.jar", jar), JobMain.OK);
    assertEquals(200, result.status(), result.text());
    assertEquals("com.example.Module", result.bundle().symbolicName());
    assertEquals("CN=Alice", result.bundle().signer());
    assertArrayEquals(jar, Files.readAllBytes(dir.resolve(JobResult.BUNDLE)));
  }

  @Test
  void refusedBundleIsNotWritten() throws Exception {
    byte[] jar = alice.sign(TestJar.bundle());
    server.body("/other.jar", TestSigner.ed25519().sign(TestJar.bundle()));
    JobResult result = ran(fetch("/other.jar", jar), JobMain.REFUSED);
    assertEquals(403, result.status());
    assertEquals("bundle-digest", result.reason());
    byte[] unsigned = TestJar.bundle();
    server.body("/unsigned.jar", unsigned);
    assertEquals(
        "bundle-unsigned", ran(fetch("/unsigned.jar", unsigned), JobMain.REFUSED).reason());
    assertFalse(Files.exists(dir.resolve(JobResult.BUNDLE)));
  }

  @Test
  void hangingServerIsATimeOut() throws Exception {
    server.on("/hang", exchange -> server.hang());
    JobRequest asked =
        JobRequest.fetch(
            server.url("/hang"),
            rules(300),
            null,
            List.of(alice.anchorPem()),
            Set.of(),
            "a.b",
            null,
            17);
    JobResult result = ran(asked, JobMain.REFUSED);
    assertEquals(504, result.status());
    assertEquals("fetch-timeout", result.reason());
    try (var files = Files.list(dir)) {
      assertEquals(2, files.count(), "request.json and result.json only");
    }
  }

  @Test
  void forbiddenAddressAndOversize() throws Exception {
    JobRequest local =
        JobRequest.fetch(
            "http://10.0.0.1:" + server.port() + "/",
            rules(MILLIS),
            null,
            List.of(alice.anchorPem()),
            Set.of(),
            "a.b",
            null,
            17);
    JobResult result = ran(local, JobMain.REFUSED);
    assertEquals(403, result.status());
    assertEquals("fetch-address", result.reason());
    byte[] big = new byte[(1 << 20) + 1];
    server.body("/big", big);
    assertEquals(413, ran(fetch("/big", big), JobMain.REFUSED).status());
  }

  @Test
  void notifies() throws Exception {
    AtomicReference<String> seen = new AtomicReference<>();
    server.on(
        "/rpc",
        exchange -> {
          seen.set(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          TestServer.reply(exchange, 200, OK_ANSWER.getBytes(StandardCharsets.UTF_8));
        });
    JobRequest request =
        JobRequest.notify(
            server.url("/rpc"), rules(MILLIS), "netserv.notify", Map.of("module", "a<b>&c"));
    assertEquals("ok", ran(request, JobMain.OK).reason());
    assertTrue(seen.get().contains("<methodName>netserv.notify</methodName>"), seen.get());
    assertTrue(
        seen.get().contains("<name>module</name><value><string>a&lt;b&gt;&amp;c</string></value>"),
        seen.get());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<methodResponse><fault><value><struct><member><name>faultCode</name><value><int>4</int></value></member>"
            + "</struct></value></fault></methodResponse> | the notified server answered with fault 4",
        "<methodResponse><params> | the notified server's answer is not XML-RPC",
        "<html/> | the notified server's answer is not XML-RPC",
        "hello | the notified server's answer is not XML-RPC",
        "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><methodResponse><params>&b;</params></methodResponse>"
            + " | the notified server's answer is not XML-RPC",
      })
  void faultsAreReported(String answer, String text) throws Exception {
    server.body("/rpc", answer.getBytes(StandardCharsets.UTF_8));
    JobResult result =
        ran(JobRequest.notify(server.url("/rpc"), rules(MILLIS), "m", Map.of()), JobMain.REFUSED);
    assertEquals(502, result.status());
    assertEquals("fault", result.reason());
    assertEquals(text, result.text());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "null",
        "{",
        "{}",
        "{\"kind\":\"dance\",\"url\":\"http://a/\",\"rules\":{}}",
        "{\"kind\":\"fetch\"}",
        "{\"unknown\":1}"
      })
  void badRequestsGetAResult(String request) throws Exception {
    Files.writeString(dir.resolve(JobRequest.FILE), request);
    assertEquals(JobMain.INTERNAL, run());
    JobResult result = JobResult.read(dir);
    assertEquals(500, result.status(), result.text());
  }

  @Test
  void missingRequestGetsAResult() throws Exception {
    assertEquals(JobMain.INTERNAL, run());
    assertEquals("request", JobResult.read(dir).reason());
  }
}
