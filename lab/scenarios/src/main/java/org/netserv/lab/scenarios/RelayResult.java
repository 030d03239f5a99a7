// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The result of one run of {@code turnutils_uclient}.
 *
 * @param row the combination that was tried
 * @param sent messages that were sent, -1 = the client did not get so far
 * @param back messages that came back, -1 likewise
 * @param said the end of the client's output
 */
record RelayResult(RelayRow row, long sent, long back, String said) {
  private static final Pattern TOTALS =
      Pattern.compile("tot_send_msgs=([0-9]+), tot_recv_msgs=([0-9]+)");

  private static final Pattern ERROR = Pattern.compile("(?i)error|cannot|^(send|recv|connect):");

  /** Reads the last totals of the output. */
  static RelayResult of(RelayRow row, String said) {
    Matcher totals = TOTALS.matcher(said);
    long sent = -1;
    long back = -1;
    while (totals.find()) {
      sent = Long.parseLong(totals.group(1));
      back = Long.parseLong(totals.group(2));
    }
    return new RelayResult(row, sent, back, said);
  }

  boolean holds() {
    return row.end().holds(this);
  }

  /** Returns the client's last line that names an error, empty if there is none. */
  String complaint() {
    return said.lines().filter(line -> ERROR.matcher(line).find()).reduce("", (a, b) -> b).strip();
  }

  String sentText() {
    return sent < 0 ? "-" : Long.toString(sent);
  }

  String backText() {
    return back < 0 ? "-" : Long.toString(back);
  }
}
