// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.netserv.publisher.PublisherClient;

/**
 * The monitor as a process, or as a thread of a provider: one thread, one socket, one status a
 * second.
 */
public final class MonitorProcess {
  private static final long SECOND = 1000;

  private final MonitorConfig config;
  private final Consumer<Map<String, Object>> told;
  private final Clock clock = Clock.systemUTC();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private volatile boolean stopped;

  /**
   * Makes the process.
   *
   * @param told gets a status each second, the first when all is ready
   */
  public MonitorProcess(MonitorConfig config, Consumer<Map<String, Object>> told) {
    this.config = config;
    this.told = told;
  }

  /** Runs until {@link #stop}. Modules stay deployed until their TTL ends. */
  public void run() throws IOException {
    try (PathDeployer deployer = PathDeployer.open(config)) {
      run(deployer);
    }
  }

  /**
   * Runs until {@link #stop} with a client that somebody else closes, and seals to nodes alone that
   * the client knows.
   */
  public void run(PublisherClient client) throws IOException {
    run(PathDeployer.with(client, config));
  }

  private void run(PathDeployer deployer) throws IOException {
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (MonitorConfig.EdgeAddress edge : config.edges()) {
      addresses.add(FeedbackSocket.address(edge.feedback()));
    }
    LoadProbe probe =
        new ProcfsProbe(
            Path.of("/proc"),
            config.server().port(),
            config.server().isTcp(),
            config.server().pidFile(),
            System::nanoTime);
    try (FeedbackSocket socket = new FeedbackSocket(addresses)) {
      LoadMonitor monitor =
          new LoadMonitor(
              config.control(),
              config.server().isTcp(),
              addresses.stream().map(Edge::new).toList(),
              probe,
              deployer,
              socket,
              task -> {
                tasks.add(task);
                socket.wakeup();
              },
              new SecureRandom());
      loop(monitor, socket);
    }
  }

  private void loop(LoadMonitor monitor, FeedbackSocket socket) throws IOException {
    long due = clock.millis();
    long next = due;
    while (!stopped) {
      long now = clock.millis();
      if (now >= due) {
        monitor.turn(now);
        due = Math.max(due + config.control().sample(), now);
      }
      monitor.knock(now);
      if (now >= next) {
        next = now + SECOND;
        Map<String, Object> status = monitor.status();
        status.put("unsent", socket.unsent());
        status.put("strange", socket.strange());
        told.accept(status);
      }
      long wait = monitor.isAwaiting(now) ? Math.min(LoadMonitor.KNOCK, due - now) : due - now;
      socket.await(wait, (edge, data, length) -> monitor.take(edge, data, length, now));
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        task.run();
      }
    }
  }

  /** Ends {@link #run} within one sample. From any thread. */
  public void stop() {
    stopped = true;
  }
}
