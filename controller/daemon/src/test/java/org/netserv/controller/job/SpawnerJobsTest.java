// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.job;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.artifact.job.JobRequest;
import org.netserv.artifact.job.JobRules;
import org.netserv.controller.VirtualLoop;
import org.netserv.controller.spawner.Spawner;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.controller.spawner.SpawnerRequest;

/** A job's directory from its making to its removal, with jobs that behave and jobs that do not. */
final class SpawnerJobsTest {
  private static final byte[] BUNDLE = "not much of a bundle".getBytes(StandardCharsets.UTF_8);

  @TempDir Path directory;
  private final VirtualLoop loop = new VirtualLoop(0);
  private Path jobs;
  private BundleStore store;
  private Worker worker;
  private SpawnerJobs service;

  /** A job's work in its directory, and its end. */
  private interface Worker {
    SpawnerReply run(Path job) throws IOException;
  }

  private static final class Settings implements JobSettings {
    @Override
    public JobRequest fetchRequest(FetchOrder order) {
      JobRules rules = new JobRules(List.of(), List.of(), java.util.Set.of(80), 1000, 1, 1, 1);
      return JobRequest.fetch(
          order.url(),
          rules,
          order.sha256().orElse(null),
          List.of(),
          java.util.Set.of(),
          order.module(),
          order.version(),
          17);
    }

    @Override
    public JobRequest notifyRequest(NotifyOrder order) {
      return JobRequest.notify(
          order.url(), null, "netserv.notify", Map.of("module", order.module()));
    }

    @Override
    public List<String> fetchAllowed() {
      return List.of("192.0.2.0/24");
    }

    @Override
    public List<String> fetchDenied() {
      return List.of();
    }

    @Override
    public List<Integer> fetchPorts() {
      return List.of(80);
    }

    @Override
    public int maxBytes(String user) {
      return 1000;
    }

    @Override
    public int spareJobs() {
      return 1;
    }

    @Override
    public int memoryMib() {
      return 128;
    }

    @Override
    public int timeoutSeconds() {
      return 60;
    }
  }

  private final class JobSpawner implements Spawner {
    @Override
    public void request(SpawnerRequest request, Consumer<SpawnerReply> reply) {
      assertEquals("worker", request.verb());
      try {
        SpawnerReply answer = worker.run(jobs.resolve(request.values().get("job")));
        loop.execute(() -> reply.accept(answer));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public boolean connected() {
      return true;
    }
  }

  @BeforeEach
  void open() throws IOException {
    jobs = Files.createDirectory(directory.resolve("jobs"));
    store = new BundleStore(Files.createDirectory(directory.resolve("bundles")));
    service =
        new SpawnerJobs(
            loop, Runnable::run, new JobSpawner(), jobs, store, new Settings(), new SecureRandom());
  }

  private static String sha256(byte[] bytes) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  private static SpawnerReply exit(int code) {
    return SpawnerReply.done(Map.of("exit", "" + code));
  }

  private static void result(Path job, String json) throws IOException {
    Files.writeString(job.resolve("result.json"), json);
  }

  private FetchOutcome fetch(Optional<String> sha256) throws IOException {
    List<FetchOutcome> outcomes = new ArrayList<>();
    service.fetch(
        new FetchOrder("jane", "http://p.example/a.jar", sha256, "a.b", "1.0.0"), outcomes::add);
    loop.run();
    assertEquals(1, outcomes.size());
    assertEquals(0, service.running());
    try (Stream<Path> left = Files.list(jobs)) {
      assertEquals(0, left.count(), "nothing is left behind");
    }
    return outcomes.get(0);
  }

  private long stored() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("bundles"))) {
      return files.count();
    }
  }

  @Test
  void aGoodBundleIsStored() throws Exception {
    worker =
        job -> {
          assertEquals(
              "a.b",
              new ObjectMapper()
                  .readTree(job.resolve("request.json").toFile())
                  .path("symbolicName")
                  .asText());
          Files.write(job.resolve("bundle.jar"), BUNDLE);
          result(job, "{\"status\":200,\"reason\":\"ok\",\"text\":\"a.b\"}");
          return exit(0);
        };
    FetchOutcome outcome = fetch(Optional.of(sha256(BUNDLE)));
    assertTrue(outcome.ok(), outcome.reason());
    assertArrayEquals(BUNDLE, Files.readAllBytes(store.path(outcome.sha256())));
    store.sweep(java.util.Set.of());
    assertEquals(1, stored(), "kept until its life knows it");
    store.unpin(outcome.sha256());
    store.sweep(java.util.Set.of());
    assertEquals(0, stored());
  }

  @Test
  void aLegacyBundleGoesByItsOwnDigest() throws Exception {
    worker =
        job -> {
          Files.write(job.resolve("bundle.jar"), BUNDLE);
          result(job, "{\"status\":200,\"reason\":\"ok\",\"text\":\"\"}");
          return exit(0);
        };
    assertEquals(sha256(BUNDLE), fetch(Optional.empty()).sha256());
  }

  @Test
  void aJobThatLiesAboutTheBundleIsFound() throws Exception {
    worker =
        job -> {
          Files.write(job.resolve("bundle.jar"), "something else".getBytes(StandardCharsets.UTF_8));
          result(job, "{\"status\":200,\"reason\":\"ok\",\"text\":\"\"}");
          return exit(0);
        };
    FetchOutcome outcome = fetch(Optional.of(sha256(BUNDLE)));
    assertEquals(403, outcome.status());
    assertEquals("digest", outcome.header());
    assertEquals(0, stored());
  }

  @Test
  void aTimeOut() throws Exception {
    worker = job -> exit(124);
    FetchOutcome outcome = fetch(Optional.of(sha256(BUNDLE)));
    assertEquals(504, outcome.status());
    assertEquals("url", outcome.header());
  }

  @Test
  void aRefusalIsPassedOn() throws Exception {
    worker =
        job -> {
          result(job, "{\"status\":403,\"reason\":\"bundle-untrusted\",\"text\":\"no anchor\"}");
          return exit(1);
        };
    FetchOutcome outcome = fetch(Optional.of(sha256(BUNDLE)));
    assertEquals(403, outcome.status());
    assertEquals("bundle-untrusted: no anchor", outcome.reason());
  }

  @Test
  void jobsThatMisbehave() throws Exception {
    List<Worker> bad =
        List.of(
            job -> exit(137),
            job -> {
              result(job, "[]");
              return exit(0);
            },
            job -> {
              result(job, "{\"status\":200,\"reason\":\"ok\",\"text\":\"\"}");
              return exit(0);
            },
            job -> {
              result(job, "{\"status\":200,\"reason\":\"ok\",\"text\":\"\"}");
              Files.createSymbolicLink(job.resolve("bundle.jar"), Path.of("/etc/passwd"));
              return exit(0);
            },
            job -> {
              result(job, "{\"status\":200,\"reason\":\"ok\",\"text\":\"\"}");
              Files.write(job.resolve("bundle.jar"), new byte[1001]);
              Files.createDirectories(job.resolve("a/b/c"));
              return exit(0);
            },
            job -> {
              Files.createSymbolicLink(job.resolve("result.json"), Path.of("/etc/passwd"));
              return exit(0);
            });
    for (Worker one : bad) {
      worker = one;
      FetchOutcome outcome = fetch(Optional.of(sha256(BUNDLE)));
      assertEquals(500, outcome.status(), outcome.reason());
      assertFalse(outcome.reason().isEmpty());
      assertEquals(0, stored());
    }
  }

  @Test
  void aSpawnerThatRefuses() throws Exception {
    worker = job -> SpawnerReply.refused("too many jobs");
    FetchOutcome outcome = fetch(Optional.of(sha256(BUNDLE)));
    assertEquals(503, outcome.status());
    assertTrue(outcome.reason().contains("too many jobs"));
  }

  @Test
  void notificationsAreSent() {
    List<String> urls = new ArrayList<>();
    worker =
        job -> {
          urls.add(
              new ObjectMapper()
                  .readTree(job.resolve("request.json").toFile())
                  .path("url")
                  .asText());
          return exit(1);
        };
    service.tell(
        new NotifyOrder("jane", "http://p.example/rpc", "a.b", "1.0.0", "n", 200, "running"));
    loop.run();
    assertEquals(List.of("http://p.example/rpc"), urls);
    assertEquals(0, service.running());
  }

  @Test
  void aNewControllerLeavesSpareJobsToTheSpawner() throws Exception {
    Files.createDirectory(jobs.resolve("fetch-1"));
    Path spare = Files.createDirectory(jobs.resolve("@job7"));
    SpawnerJobs.clean(jobs);
    try (Stream<Path> left = Files.list(jobs)) {
      assertEquals(List.of(spare), left.toList());
    }
  }
}
