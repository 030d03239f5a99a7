// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.Optional;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.association.Association;
import org.netserv.gist.wire.ErrorInfo;
import org.netserv.gist.wire.ErrorObject;
import org.netserv.gist.wire.GistError;
import org.netserv.gist.wire.GistFormatException;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.Mri;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes Error messages of others (RFC 5971 sections 4.4.6 and 5.6), which are never answered. An
 * Error repeats flow, session and application of a message of ours, and these identify the state.
 */
final class ErrorReception {
  private static final Logger LOG = LoggerFactory.getLogger(ErrorReception.class);
  private static final int MTU_BYTES = 2;

  private final RoutingTable table;
  private final GistCounters counters;

  ErrorReception(RoutingTable table, GistCounters counters) {
    this.table = table;
    this.counters = counters;
  }

  void error(Arrival arrival, GistMessage message) {
    ErrorObject error = message.find(ErrorObject.class).orElseThrow();
    GistError what = error.error().orElse(null);
    RoutingState state = state(error);
    LOG.debug("error {}/{} received: {}", error.code(), error.subcode(), error.comment());
    if (state == null || what == null) {
      counters.count(Counter.ERROR_UNMATCHED);
      return;
    }
    if (arrival.byAssociation()
        && state.association() != null
        && state.association() != arrival.association()) {
      counters.count(Counter.ERROR_UNMATCHED); // about a message sent before the state moved away
      return;
    }
    if (arrival.byAssociation()
        && error.offendingHeader().is(MessageType.CONFIRM)
        && state instanceof QueryingMachine machine) {
      machine.confirmRefused(arrival.association(), "error " + what);
      return;
    }
    switch (what) {
      case NO_ROUTING_STATE, INCORRECTLY_DELIVERED -> noRoutingState(arrival, state);
      case ENDPOINT_FOUND -> {
        counters.count(Counter.ENDPOINT_FOUND_RECEIVED);
        querying(state).ifPresent(m -> m.lastNode(NetworkNotification.ENDPOINT_FOUND));
      }
      case MESSAGE_TOO_LARGE -> querying(state).ifPresent(m -> m.tooLarge(mtu(error)));
      default -> querying(state).ifPresent(m -> m.refused("error " + what));
    }
  }

  private RoutingState state(ErrorObject error) {
    if (error.session() == null || error.mri() == null) {
      return null;
    }
    try {
      int nslpId = error.offendingHeader().nslpId();
      Mri mri = Mri.decode(error.mri());
      return table.find(new RoutingKey(mri, error.session(), nslpId));
    } catch (GistFormatException e) {
      return null;
    }
  }

  /**
   * Handles an Error about missing routing state. If the peers have TLS between them, only an Error
   * by TLS can end the state.
   */
  private void noRoutingState(Arrival arrival, RoutingState state) {
    Association association = state.association();
    if (association != null && association.secure() && arrival.association() != association) {
      counters.count(Counter.ERROR_UNMATCHED);
      return;
    }
    counters.count(Counter.NO_ROUTING_STATE_RECEIVED);
    state.noRoutingState(arrival.association());
  }

  private static Optional<QueryingMachine> querying(RoutingState state) {
    return state instanceof QueryingMachine machine ? Optional.of(machine) : Optional.empty();
  }

  private static int mtu(ErrorObject error) {
    return error
        .find(ErrorInfo.MTU)
        .filter(info -> info.value().length >= MTU_BYTES)
        .map(info -> (info.value()[0] & 0xff) << 8 | (info.value()[1] & 0xff))
        .orElse(0);
  }
}
