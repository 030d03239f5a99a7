// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.netserv.packet.Relay;
import org.netserv.packet.ServiceRule;
import org.netserv.packet.ServiceRuleEntry;
import org.netserv.packet.ServiceRules;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;

/**
 * Asks the kernel for a rule of a service router: {@code ROUTER FIRST BITS TARGET}, addresses with
 * ports, the first byte of the serviceIDs in hexadecimal, and the bits of the prefix. The attempt
 * succeeds if the kernel has the rule.
 */
public final class ServiceRuleAsk extends Attempt {
  private static final int SECONDS = 30;
  private static final int TURNS = 100;
  private static final int TURN_MILLIS = 50;
  private static final int FIRST_BYTE = 56;

  private BundleContext context;

  @Override
  public void start(BundleContext given) throws Exception {
    context = given;
    super.start(given);
  }

  @Override
  protected String attempt(String argument) throws Exception {
    String[] words = argument.split(" ", -1);
    ServiceReference<ServiceRules> service = context.getServiceReference(ServiceRules.class);
    ServiceRules rules = context.getService(service);
    for (int i = 0; i < TURNS && !rules.available(); i++) {
      Thread.sleep(TURN_MILLIS);
    }
    long first = Long.parseLong(words[1], 16) << FIRST_BYTE;
    ServiceRule rule =
        rules.ask(
            new ServiceRuleEntry(
                ServiceRuleEntry.Kind.TARGET,
                at(words[0]),
                first,
                0,
                0,
                0,
                Integer.parseInt(words[2]),
                at(words[3]),
                1),
            SECONDS);
    if (rule == null) {
      throw denied("not asked: " + rules.unavailable());
    }
    try {
      return answer(rule);
    } finally {
      rule.remove();
    }
  }

  private static String answer(ServiceRule rule) throws Exception {
    for (int i = 0; i < TURNS && rule.state() == Relay.State.ASKED; i++) {
      Thread.sleep(TURN_MILLIS);
    }
    if (rule.state() != Relay.State.ACTIVE) {
      String refusal = rule.refusal();
      throw denied(refusal.isEmpty() ? rule.state().toString() : "refused: " + refusal);
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
