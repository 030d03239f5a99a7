// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.random.RandomGenerator;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.association.Associations;
import org.netserv.gist.port.DatagramPort;
import org.netserv.gist.port.LocalNetwork;
import org.netserv.gist.port.Timers;

/** The parts of a node. Each machine has one reference to them instead of a dozen. */
final class Parts {
  /** Bytes of sent messages that are kept until the peer can no longer refuse them. */
  private static final long SENT_BYTES = 16 << 20;

  final GistSettings settings;
  final byte[] identity;
  final DatagramPort port;
  final LocalNetwork network;
  final Associations associations;
  final RandomGenerator random;
  final GistCounters counters;
  final TimerWheel wheel;
  final Applications applications;
  final RoutingTable table;
  final Peers peers = new Peers();
  final Cookies cookies;
  final Messages messages;
  final DatagramSender sender;
  final Errors errors;
  final Departed departed = new Departed();
  final OutstandingQueries outstanding = new OutstandingQueries();
  final SentMessages.Budget sentBudget = new SentMessages.Budget(SENT_BYTES);

  Parts(
      GistSettings settings,
      byte[] identity,
      DatagramPort port,
      LocalNetwork network,
      Associations associations,
      Timers timers,
      RandomGenerator random,
      GistCounters counters) {
    this.settings = settings;
    this.identity = identity.clone();
    this.port = port;
    this.network = network;
    this.associations = associations;
    this.random = random;
    this.counters = counters;
    this.wheel = new TimerWheel(timers);
    this.applications = new Applications(timers, counters);
    this.table = new RoutingTable(settings.statesMax(), counters);
    this.cookies = new Cookies(random, settings.cookieLifetime(), wheel.now());
    this.messages = new Messages(this.identity, new Validity(settings, table::size));
    RateLimiter limiter =
        new RateLimiter(port, wheel, settings.rate(), settings.rateBurst(), counters);
    this.sender = new DatagramSender(network, limiter, settings.noRouterAlert());
    this.errors = new Errors(settings, network, sender, messages, wheel, counters);
    counters.gauge("send-queue", limiter::queued);
  }

  void count(Counter counter) {
    counters.count(counter);
  }
}
