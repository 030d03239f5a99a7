// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

import java.net.InetSocketAddress;
import org.netserv.overload.feedback.EdgeReport;
import org.netserv.overload.feedback.Feedback;
import org.netserv.overload.feedback.FeedbackException;
import org.netserv.overload.feedback.FeedbackKind;
import org.netserv.overload.feedback.FeedbackMac;

/** One edge as the monitor sees it: its feedback address, its key, its reports. One thread. */
final class Edge {
  private static final double WEIGHT = 0.5;

  private final InetSocketAddress address;
  private FeedbackMac mac;
  private EdgeReport last;
  private long reported; // milliseconds of the monitor's clock
  private double offered = -1;
  private double rejected;
  private long done;
  private long wrong;

  Edge(InetSocketAddress address) {
    this.address = address;
  }

  InetSocketAddress address() {
    return address;
  }

  /** Begins anew with the key of a new deployment. */
  void begin(byte[] key) {
    mac = new FeedbackMac(key);
    last = null;
    offered = -1;
    rejected = 0;
    done = 0;
  }

  byte[] feedback(FeedbackKind kind, int value, int validity, long sequence) {
    return new Feedback(kind, value, validity, sequence).encode(mac);
  }

  /** Takes a datagram. Returns whether it is a genuine report. */
  boolean take(byte[] datagram, int length, long now) {
    if (mac == null) {
      return false;
    }
    try {
      EdgeReport report = EdgeReport.decode(datagram, length, mac);
      if (last != null && report.sequence() <= last.sequence()) {
        return false;
      }
      measure(report);
      last = report;
      reported = now;
      return true;
    } catch (FeedbackException e) {
      wrong++;
      return false;
    }
  }

  private void measure(EdgeReport report) {
    if (last == null || report.offered() < last.offered()) {
      return; // the first, or the module began anew
    }
    done += report.admitted() - report.inFlight() - last.admitted() + last.inFlight();
    int millis = report.millis() - last.millis();
    if (millis <= 0) {
      return;
    }
    double asked = (report.offered() - last.offered()) * 1000.0 / millis;
    double refused = (report.rejected() - last.rejected()) * 1000.0 / millis;
    offered = offered < 0 ? asked : offered + WEIGHT * (asked - offered);
    rejected = refused;
  }

  /** Returns whether it has reported within this many milliseconds. */
  boolean isHeard(long now, long within) {
    return last != null && now - reported <= within;
  }

  /** Returns requests per second that it is offered; negative = not known. */
  double offered() {
    return offered;
  }

  /** Returns requests per second that it rejected between its last two reports. */
  double rejected() {
    return rejected;
  }

  /** Tells whether it has reported since {@link #begin}. */
  boolean hasReported() {
    return last != null;
  }

  /** Returns the admitted messages that need no answer or have one, since the first report. */
  long done() {
    return done;
  }

  /** Returns the admitted requests that had no answer at the last report. */
  int waiting() {
    return last == null ? 0 : last.inFlight();
  }

  /** Returns the datagrams from its address that were no report. */
  long wrong() {
    return wrong;
  }
}
