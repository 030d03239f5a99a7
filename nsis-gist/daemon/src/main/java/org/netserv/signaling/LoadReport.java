// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.netserv.frames.Json;
import org.netserv.process.Overload;

/** The load of this process as the controller keeps it: numbers by name. */
final class LoadReport {
  private LoadReport() {}

  /**
   * Returns {@code NAME-used}, {@code NAME-limit} and the state from 0 of each gauge, then
   * refusals.
   */
  static ObjectNode of(Overload.Snapshot load) {
    ObjectNode report = Json.object();
    for (Overload.Reading gauge : load.gauges()) {
      report.put(gauge.name() + "-used", gauge.used());
      report.put(gauge.name() + "-limit", gauge.limit());
      report.put(gauge.name() + "-state", gauge.state().level());
    }
    load.refused().forEach((work, count) -> report.put("refused-" + work.word(), count));
    return report.put("state", load.state().level());
  }
}
