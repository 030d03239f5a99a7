// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.netserv.packet.Relay;
import org.netserv.packet.RelayEntry;
import org.netserv.packet.Relays;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;

/**
 * Asks the kernel to relay a channel: {@code CLIENT SERVER RELAYED PEER}, each an address and a
 * port. The attempt succeeds if the kernel relays it.
 */
public final class RelayBind extends Attempt {
  private static final int CHANNEL = 0x4000;
  private static final int SECONDS = 30;
  private static final int TURNS = 100;
  private static final int TURN_MILLIS = 50;

  private BundleContext context;

  @Override
  public void start(BundleContext given) throws Exception {
    context = given;
    super.start(given);
  }

  @Override
  protected String attempt(String argument) throws Exception {
    String[] words = argument.split(" ", -1);
    ServiceReference<Relays> service = context.getServiceReference(Relays.class);
    Relays relays = context.getService(service);
    for (int i = 0; i < TURNS && !relays.available(); i++) {
      Thread.sleep(TURN_MILLIS);
    }
    Relay relay =
        relays.bind(
            new RelayEntry(at(words[0]), at(words[1]), CHANNEL, at(words[2]), at(words[3])),
            SECONDS);
    if (relay == null) {
      throw denied("not asked: " + relays.unavailable());
    }
    try {
      return answer(relay);
    } finally {
      relay.unbind();
    }
  }

  private static String answer(Relay relay) throws Exception {
    for (int i = 0; i < TURNS && relay.state() == Relay.State.ASKED; i++) {
      Thread.sleep(TURN_MILLIS);
    }
    if (relay.state() != Relay.State.ACTIVE) {
      String refusal = relay.refusal();
      throw denied(refusal.isEmpty() ? relay.state().toString() : "refused: " + refusal);
    }
    return "in the kernel";
  }

  private static InetSocketAddress at(String text) throws Exception {
    int colon = text.lastIndexOf(':');
    return new InetSocketAddress(
        InetAddress.getByName(text.substring(0, colon)),
        Integer.parseInt(text.substring(colon + 1)));
  }
}
