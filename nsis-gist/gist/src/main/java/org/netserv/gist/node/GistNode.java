// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.node;

import java.security.SecureRandom;
import java.time.Duration;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistService;
import org.netserv.gist.GistSettings;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.SendRequest;
import org.netserv.gist.SignalingApplication;
import org.netserv.gist.association.Associations;
import org.netserv.gist.port.DatagramPort;
import org.netserv.gist.port.LocalNetwork;
import org.netserv.gist.port.Timers;
import org.netserv.gist.routing.NodeMachine;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;

/**
 * A node of GIST (RFC 5971): put together from its parts, it listens at once. Everything happens on
 * the GIST thread, the constructor included.
 */
public final class GistNode implements GistService {
  private final NodeMachine machine;

  /**
   * A node.
   *
   * @param peerIdentity names this node in its NLI for as long as it lives; 1 to 255 bytes
   * @param network what is asked about interfaces and routes
   * @param random of cookies, refresh times and secrets
   */
  public GistNode(
      GistSettings settings,
      byte[] peerIdentity,
      DatagramPort port,
      LocalNetwork network,
      Associations associations,
      Timers timers,
      SecureRandom random,
      GistCounters counters) {
    machine =
        new NodeMachine(
            settings, peerIdentity, port, network, associations, timers, random, counters);
  }

  @Override
  public void register(SignalingApplication application) {
    machine.register(application);
  }

  @Override
  public void sendMessage(SendRequest request) {
    machine.send(request);
  }

  @Override
  public void setStateLifetime(int nslpId, Mri mri, SessionId session, Duration lifetime) {
    machine.lifetime(nslpId, mri, session, lifetime);
  }

  @Override
  public void invalidateRoutingState(
      int nslpId, Mri mri, RoutingStatus status, byte[] payload, boolean urgent) {
    machine.invalidate(nslpId, mri, status, payload, urgent);
  }

  @Override
  public void verifyPeer(int nslpId, Mri mri, SessionId session, Duration age, Duration patience) {
    machine.verify(nslpId, mri, session, age, patience);
  }
}
