// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.flow.FlowPort;
import org.netserv.serval.flow.Outgoing;
import org.netserv.serval.host.Listener;
import org.netserv.serval.registration.Registrar;
import org.netserv.serval.table.Rule;

/**
 * A service that this endpoint offers, and the source of its unconnected datagrams. All calls are
 * on the thread of the endpoint.
 */
public final class Binding {
  private final ServalEndpoint endpoint;
  private final Directory directory;
  private final Rule rule;
  private final ServiceHandler handler;
  private Registrars registrars;
  private Health health;
  private int weight = Registrar.WEIGHT;
  private final Listener listener =
      new Listener() {
        @Override
        public FlowPort open(Endpoint client) {
          return endpoint.opening(Binding.this);
        }

        @Override
        public void answer(Outgoing synAck) {
          endpoint.answer(synAck);
        }
      };

  Binding(ServalEndpoint endpoint, Directory directory, Rule rule, ServiceHandler handler) {
    this.endpoint = endpoint;
    this.directory = directory;
    this.rule = rule;
    this.handler = handler;
  }

  /**
   * Sends an unconnected datagram to an instance of a service. Its source is the serviceID of this
   * binding, or the first one of a prefix.
   *
   * @param payload at least one byte, from its position to its limit, which stay as they are
   * @return false if it was refused; {@link ServalEndpoint#verdicts} has counted the reason
   */
  public boolean send(ServiceId target, ByteBuffer payload) {
    return send(target, null, payload);
  }

  /** Sends an unconnected datagram to an address, or by the service table if that is null. */
  boolean send(ServiceId target, Endpoint to, ByteBuffer payload) {
    return endpoint.send(id(), target, to, payload);
  }

  /**
   * Asks the routers for another share among the instances of the service. Only a signed
   * registration has a weight.
   *
   * @param share 0 to 65,535; 1 at first
   */
  public void weight(int share) {
    if (share < 0 || share > Rule.MOST_WEIGHT) {
      throw new IllegalArgumentException("weight: " + share);
    }
    weight = share;
    if (registrars != null) {
      registrars.weight(share, endpoint.now());
    }
  }

  int weight() {
    return weight;
  }

  /**
   * Withdraws the service from the routers. The flows go on, and clients that a router has sent
   * here before are still served. {@link #resume} registers again.
   */
  public void drain() {
    directory.drain(this, endpoint.now());
  }

  /** Registers again after {@link #drain}. */
  public void resume() {
    directory.resume(this, endpoint.now());
  }

  /**
   * Has the endpoint check the health of the service. After three failures in a row the binding
   * drains, and after two successes it resumes.
   *
   * @param check runs on the thread of the endpoint, and must not block
   * @param period milliseconds between checks, at least 1
   */
  public void check(BooleanSupplier check, long period) {
    health = new Health(check, period, endpoint.now());
    directory.check(this);
  }

  /** Withdraws the service. Its flows go on. A second call does nothing. */
  public void close() {
    endpoint.unbind(this);
  }

  /** Returns the serviceIDs. */
  public ServicePrefix prefix() {
    return rule.prefix();
  }

  /** Returns the source of datagrams: the serviceID, or the first one of a prefix. */
  ServiceId id() {
    return rule.prefix().id();
  }

  void accept(NamedFlow flow) {
    if (endpoint.isBound(this) && accepts(flow)) {
      flow.connected();
    } else {
      endpoint.refuse(flow);
    }
  }

  private boolean accepts(NamedFlow flow) {
    if (flow instanceof ServalStream stream) {
      return stream.accepted(handler.acceptStream(stream));
    }
    DatagramFlow datagrams = (DatagramFlow) flow;
    return datagrams.accepted(handler.accept(datagrams));
  }

  void received(Datagram datagram) {
    handler.received(datagram);
  }

  Rule rule() {
    return rule;
  }

  long socket() {
    return rule.target().socket();
  }

  /** Returns the registrations with routers, null if no router hears of the service. */
  Registrars registrars() {
    return registrars;
  }

  void registrars(Registrars made) {
    registrars = made;
  }

  /** Returns the health that the program checks, null if it does not. */
  Health health() {
    return health;
  }

  Listener listener() {
    return listener;
  }
}
