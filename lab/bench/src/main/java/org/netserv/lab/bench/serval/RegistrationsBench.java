// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.util.Map;
import org.netserv.lab.bench.Conversation;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.tool.RegistrationLoad;

/**
 * Measures signed registrations by the processor time of the router's side, with the arithmetic of
 * service-router's bundle.
 */
final class RegistrationsBench {
  private static final int WARM_UP = 3;

  private RegistrationsBench() {}

  static void measure(PartRun run) throws IOException {
    String order = "round " + run.plan().of(4000, 1000);
    Figures verified = new Figures();
    Figures refreshed = new Figures();
    try (Conversation registrations =
        Conversation.start(
            run.testbed(),
            "sender",
            "registrations",
            RegistrationLoad.class,
            LabHome.dist().resolve("apps/service-router.jar"))) {
      for (int i = 0; i < WARM_UP; i++) {
        registrations.ask(order);
      }
      for (int round = 1; round <= run.plan().rounds(); round++) {
        run.begin(round);
        Map<String, Double> rates = registrations.ask(order);
        verified.add(rates.get("verified"));
        refreshed.add(rates.get("refreshed"));
      }
    }
    run.goals().put(Goal.VERIFIED, verified);
    run.goals().put(Goal.REFRESHED, refreshed);
  }
}
