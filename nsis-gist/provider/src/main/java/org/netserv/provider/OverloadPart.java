// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Map;
import org.netserv.frames.Json;
import org.netserv.loadmonitor.MonitorConfig;
import org.netserv.loadmonitor.MonitorProcess;
import org.netserv.provider.agents.Agent;
import org.netserv.publisher.PublisherClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the SIP server's load and deploys Overload Control while it has more work than it can do.
 * The load monitor has a thread of its own, because it looks at the server ten times a second. It
 * asks nothing of agents: its edges are in its settings.
 */
final class OverloadPart implements Part {
  private static final Logger LOG = LoggerFactory.getLogger(OverloadPart.class);
  private static final long JOIN_MILLIS = 2_000;

  private final MonitorProcess monitor;
  private final Thread thread;
  private volatile Map<String, Object> latest = Map.of("state", "STARTING");

  OverloadPart(MonitorConfig config, PublisherClient client) {
    monitor = new MonitorProcess(config, status -> latest = status);
    thread = new Thread(() -> run(client), "load-monitor");
    thread.setDaemon(true);
  }

  private void run(PublisherClient client) {
    try {
      monitor.run(client);
    } catch (IOException | RuntimeException e) {
      LOG.error("the load monitor has ended", e);
      latest = Map.of("state", "FAILED", "reason", String.valueOf(e.getMessage()));
    }
  }

  @Override
  public String name() {
    return "overload";
  }

  @Override
  public void restore(long now) {
    thread.start();
  }

  @Override
  public void settle(long now) {}

  @Override
  public void connected(long now) {}

  @Override
  public void came(Agent agent, long now) {}

  @Override
  public void heard(Agent agent, long until, long now) {}

  @Override
  public void went(Agent agent, long now) {}

  @Override
  public void turn(long now) {}

  @Override
  public ObjectNode status(long now) {
    ObjectNode status = Json.object();
    latest.forEach(
        (name, value) -> {
          if (value instanceof Number number) {
            status.put(name, number.longValue());
          } else {
            status.put(name, value.toString());
          }
        });
    return status;
  }

  @Override
  public void close() {
    monitor.stop();
    try {
      thread.join(JOIN_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
