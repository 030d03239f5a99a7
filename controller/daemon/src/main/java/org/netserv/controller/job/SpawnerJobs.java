// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.netserv.artifact.job.JobRequest;
import org.netserv.artifact.job.JobResult;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.spawner.Spawner;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.controller.spawner.SpawnerRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs jobs by the spawner. Each job gets a directory with {@code request.json}, runs by the verb
 * {@code worker}, and leaves {@code result.json} and, for a fetch, {@code bundle.jar}. The
 * directory is gone when the answer is given, in every case. Files are touched on {@code files},
 * never on the loop.
 */
public final class SpawnerJobs implements Jobs {
  private static final Logger LOG = LoggerFactory.getLogger(SpawnerJobs.class);
  private static final int TIMED_OUT = 124;
  private static final String FETCH = "fetch";

  /** First character of the spawner's own directories, which belong to spare jobs. */
  private static final String SPAWNERS = "@";

  private final Loop loop;
  private final Executor files;
  private final Spawner spawner;
  private final Path jobs;
  private final BundleStore store;
  private final JobSettings settings;
  private final SecureRandom random;
  private final JobQueue queue = new JobQueue();
  private int running;

  public SpawnerJobs(
      Loop loop,
      Executor files,
      Spawner spawner,
      Path jobs,
      BundleStore store,
      JobSettings settings,
      SecureRandom random) {
    this.loop = loop;
    this.files = files;
    this.spawner = spawner;
    this.jobs = jobs;
    this.store = store;
    this.settings = settings;
    this.random = random;
  }

  @Override
  public void fetch(FetchOrder order, Consumer<FetchOutcome> done) {
    JobRequest request = settings.fetchRequest(order);
    run(
        order.user(),
        FETCH,
        request,
        settings.fetchPorts(),
        new Ended() {
          @Override
          public void refused(SpawnerReply reply) {
            done.accept(FetchOutcome.failed(503, null, "fetch job: " + reply.reason()));
          }

          @Override
          public Runnable exited(JobDirectory job, int exit) {
            FetchOutcome outcome = outcome(order, job, exit);
            return () -> done.accept(outcome);
          }
        });
  }

  private FetchOutcome outcome(FetchOrder order, JobDirectory job, int exit) {
    if (exit == TIMED_OUT) {
      return FetchOutcome.failed(
          504, "url", "no bundle within " + settings.timeoutSeconds() + " s");
    }
    try {
      JobResult result = job.result();
      if (!result.ok()) {
        String header = result.reason().equals("bundle-digest") ? "digest" : "url";
        return FetchOutcome.failed(result.status(), header, reason(result));
      }
      byte[] bundle = job.bundle(settings.maxBytes(order.user()));
      String sha256 = JobDirectory.sha256(bundle);
      String expected = order.sha256().orElse(sha256);
      if (!sha256.equals(expected)) {
        return FetchOutcome.failed(
            403, "digest", "the bundle's SHA-256 is " + sha256 + ", signed was " + expected);
      }
      return store(sha256, bundle, result.bundle() == null ? 0 : result.bundle().goodUntil());
    } catch (IOException e) {
      return FetchOutcome.failed(500, null, "fetch job ended with " + exit + ": " + e.getMessage());
    }
  }

  private FetchOutcome store(String sha256, byte[] bundle, long goodUntil) throws IOException {
    try {
      store.put(sha256, bundle);
      return FetchOutcome.stored(sha256, goodUntil);
    } catch (IOException e) {
      if (store.free() >= bundle.length) {
        throw e;
      }
      return FetchOutcome.failed(
          507, null, "the disk under the node's state is full: no room for the bundle");
    }
  }

  private static String reason(JobResult result) {
    return result.reason() + ": " + result.text();
  }

  @Override
  public void tell(NotifyOrder order) {
    run(
        order.user(),
        "notify",
        settings.notifyRequest(order),
        settings.fetchPorts(),
        new Ended() {
          @Override
          public void refused(SpawnerReply reply) {
            LOG.warn("notification {}: {}", order.url(), reply.reason());
          }

          @Override
          public Runnable exited(JobDirectory job, int exit) {
            String how = exit == TIMED_OUT ? "time-out" : told(job, exit);
            return () -> LOG.info("notification {}: {}", order.url(), how);
          }
        });
  }

  private static String told(JobDirectory job, int exit) {
    try {
      JobResult result = job.result();
      return result.ok() ? "delivered" : reason(result);
    } catch (IOException e) {
      return "job ended with " + exit + ": " + e.getMessage();
    }
  }

  @Override
  public int running() {
    return running;
  }

  /** Takes the end of a job. */
  private interface Ended {
    /** The job did not run. Called on the loop. */
    void refused(SpawnerReply reply);

    /**
     * The job ran. Called on the file thread, before the directory is removed. The returned task
     * runs on the loop.
     */
    Runnable exited(JobDirectory job, int exit);
  }

  private void run(String user, String kind, JobRequest request, List<Integer> ports, Ended ended) {
    byte[] suffix = new byte[8];
    random.nextBytes(suffix);
    String name = kind + "-" + HexFormat.of().formatHex(suffix);
    boolean taken = queue.submit(user, () -> make(user, name, request, ports, ended));
    if (!taken) {
      String why = "too many jobs of " + user + " wait already";
      loop.execute(() -> ended.refused(SpawnerReply.refused(why)));
    }
  }

  private void make(
      String user, String name, JobRequest request, List<Integer> ports, Ended ended) {
    running++;
    files.execute(
        () -> {
          try {
            JobDirectory job = JobDirectory.make(jobs.resolve(name), request);
            loop.execute(() -> work(user, name, job, ports, ended));
          } catch (IOException e) {
            SpawnerReply why = SpawnerReply.refused("job directory: " + e.getMessage());
            loop.execute(() -> over(user, () -> ended.refused(why)));
          }
        });
  }

  private void work(String user, String name, JobDirectory job, List<Integer> ports, Ended ended) {
    spawner.request(
        SpawnerRequest.worker(
            name,
            settings.memoryMib(),
            settings.timeoutSeconds(),
            ports,
            settings.fetchAllowed(),
            settings.fetchDenied(),
            name.startsWith(FETCH)),
        reply -> files.execute(() -> after(user, job, reply, ended)));
  }

  private void after(String user, JobDirectory job, SpawnerReply reply, Ended ended) {
    Runnable next =
        reply.ok() ? ended.exited(job, (int) reply.number("exit", 1)) : () -> ended.refused(reply);
    job.delete();
    loop.execute(() -> over(user, next));
  }

  private void over(String user, Runnable next) {
    running--;
    queue.ended(user);
    next.run();
  }

  /**
   * Removes the directories that jobs of an earlier controller left. Leaves the directories of
   * spare jobs, which the spawner makes and removes. Called once, before the first job.
   */
  public static void clean(Path jobs) throws IOException {
    try (Stream<Path> left = Files.list(jobs)) {
      left.filter(directory -> !directory.getFileName().toString().startsWith(SPAWNERS))
          .forEach(directory -> new JobDirectory(directory).delete());
    }
  }
}
