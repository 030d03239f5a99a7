// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.ncm.Header;

/**
 * Flows of NetMonitor at a collector of IPFIX: nfdump has to tell each packet. In the second round
 * the module gets one packet of ten from the kernel, and nfdump has to multiply by ten.
 */
public final class Ipfix implements Scenario {
  private static final int PACKETS = 3_000;
  private static final int RATE = 1_000;
  private static final int PORT = 9;
  private static final int COLLECTOR = 4739;
  private static final int SAMPLING = 10;
  private static final int EXPORT_MILLIS = 3_000; // the last counts, and the next export
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final ResultTable table =
      new ResultTable("", "sent", "nfdump tells", "source", "destination", "");
  private Stage stage;
  private Testbed testbed;

  @Override
  public String topology() {
    return "fast-path";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    boolean all = round("each packet", Map.of(), 1);
    boolean sampled = round("one of ten", Map.of(Header.FILTER_SAMPLE, "1/" + SAMPLING), SAMPLING);
    stage.show(table);
    return all && sampled;
  }

  private boolean round(String name, Map<Header, String> headers, int sampling) throws IOException {
    stage.step("nfcapd, and the monitor: " + name);
    Path flows = Files.createDirectories(testbed.state().resolve("flows-" + sampling));
    String server = stage.server(false).getHostAddress();
    String collector = server + ":" + COLLECTOR;
    Process nfcapd =
        testbed.spawn(
            "server",
            "nfcapd-" + sampling,
            List.of("nfcapd", "-b", server, "-p", "" + COLLECTOR, "-w", flows.toString()));
    Wait.until(
        "nfcapd", PATIENCE, () -> testbed.run("server", "ss", "-lun").contains(":" + COLLECTOR));
    Bundle bundle =
        stage.deploy(
            LabHome.dist().resolve("apps/netmonitor.jar"),
            PORT,
            headers,
            Map.of("ipfix", collector, "ipfix-seconds", "1", "ipfix-sampling", "" + sampling));
    stage.step("send " + PACKETS + " datagrams past it");
    stage.datagrams(PORT, RATE, PACKETS).result(30);
    Wait.pause(EXPORT_MILLIS);
    stage.remove(bundle);
    end(nfcapd);
    String[] told = told(flows);
    boolean right = told[0].equals("" + PACKETS) && told[2].equals(server);
    table.row(name, PACKETS, told[0], told[1], told[2], right ? "ok" : "WRONG");
    return right;
  }

  /** Ends the collector, which writes what it has. */
  private static void end(Process nfcapd) throws IOException {
    nfcapd.destroy();
    try {
      if (!nfcapd.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new LabException("nfcapd does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    }
  }

  /** Returns the sum of packets, source and destination, as nfdump has them. */
  private String[] told(Path flows) throws IOException {
    String sum =
        "nfdump -R %s -q -N -o 'fmt:%%pkt %%sa %%da' 2>&1".formatted(flows)
            + " | awk '{n += $1; s = $2; d = $3} END {print n + 0, s, d}'";
    String[] told = testbed.run("server", "sh", "-c", sum).strip().split(" ", -1);
    return told.length == 3 ? told : new String[] {String.join(" ", told), "", ""};
  }
}
