// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.netserv.coverage.Coverage;
import org.netserv.coverage.CoverageStatus;
import org.netserv.provider.agents.Agent;
import org.netserv.provider.report.Report;
import org.netserv.values.Addresses;

/**
 * Deploys the KeepAlive Responder toward agents that keep their bindings alive. From then on their
 * keep-alives are answered at the edge, and the server hears of them by their REGISTERs, and by the
 * reports of the modules.
 */
final class KeepAlivePart implements Part {
  /** Servers whose state is remembered: addresses of one provider. */
  private static final int MOST_SERVERS = 64;

  private final Coverage coverage;
  private final String module;
  private final Silence silence;
  private final Map<String, Report> servers = new LinkedHashMap<>();

  /**
   * A part without agents.
   *
   * @param silence null if the modules send no reports
   */
  KeepAlivePart(Coverage coverage, String module, Silence silence) {
    this.coverage = coverage;
    this.module = module;
    this.silence = silence;
  }

  @Override
  public String name() {
    return "keepalive";
  }

  @Override
  public void restore(long now) {
    coverage.restore(now);
  }

  @Override
  public void settle(long now) {
    coverage.settle(now);
  }

  @Override
  public void connected(long now) {}

  @Override
  public void came(Agent agent, long now) {
    if (!agent.registered()) {
      coverage.want(agent.address(), now);
    }
  }

  @Override
  public void heard(Agent agent, long until, long now) {}

  @Override
  public void went(Agent agent, long now) {
    if (!agent.registered()) {
      coverage.unwant(agent.address(), now);
      if (silence != null) {
        silence.forget(agent);
      }
    }
  }

  /** Takes the report of a module. */
  void report(Report report, long now) {
    String server = Addresses.print(report.server()) + " " + report.serverPort();
    if (servers.containsKey(server) || servers.size() < MOST_SERVERS) {
      servers.put(server, report);
    }
    silence.report(report, now);
  }

  @Override
  public void turn(long now) {
    coverage.turn(now);
  }

  @Override
  public ObjectNode status(long now) {
    ObjectNode status = CoverageStatus.of(coverage, module, now);
    if (silence != null) {
      status.put("agents-reported", silence.size());
      ArrayNode list = status.putArray("servers");
      servers.forEach(
          (server, report) ->
              list.addObject()
                  .put("server", server)
                  .put("state", report.state().name().toLowerCase(Locale.ROOT))
                  .put("seconds-ago", Math.max(0, (now - report.time()) / 1000)));
    }
    return status;
  }
}
