// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.util.Map;
import org.netserv.lab.testbed.Stranger;
import org.netserv.lab.testbed.Testbed;
import org.netserv.serval.ServiceId;

/**
 * A stranger registers services at a router of Serval without a right to them: forged, replayed,
 * late, for another's prefix, by a wrong delegation. Each refusal is read from the router's
 * counters, no rule changes, and the good form of each is taken.
 */
public final class ServalSecurity implements Scenario {
  private static final String ID = "00004001";
  private static final int BYTES = 1_000_000;

  private final ComparedRows rows = new ComparedRows("what");
  private Stage stage;
  private Testbed testbed;
  private ServalRouters routers;
  private ServalEnds ends;

  @Override
  public String topology() {
    return "serval-router";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    setUp();
    try (Stranger stranger = Stranger.start(testbed, "second")) {
      ServalAttack attack = new ServalAttack(stage, routers, ends, stranger, rows);
      stage.step("registrations that are forged, replayed, late, or for another's prefix");
      new ForgedRegistrations(attack).play();
      new PlainRegistrations(attack).play(ServiceId.parse(ID));
      rows.row("digest by name", ends.web.digest(), ends.download(ServalRouters.URL));
    }
    rows.row("digest at the end", ends.web.digest(), ends.download(ServalRouters.URL));
    stage.show(rows.table());
    return rows.hold();
  }

  private void setUp() throws IOException {
    stage.step("service routers on two nodes, nginx with sald at the server, sald at the user");
    ServalRouters.wholeChecksums(testbed);
    routers = new ServalRouters(stage);
    routers.deploy(Map.of("registrations", "00004", "signed-registrations", "00005"));
    ends = routers.ends(BYTES);
    rows.row("digest by name", ends.web.digest(), ends.download(ServalRouters.URL));
  }
}
