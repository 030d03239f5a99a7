// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.report;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.netserv.coverage.count.Counters;
import org.netserv.provider.base.Counter;

/**
 * Admits reports: the right code, a time close to ours, and a number above the last one of the same
 * module. A report that was recorded and sent again is refused by its number, and by its time when
 * its module is forgotten. Belongs to one thread; times are milliseconds since 1970.
 */
public final class ReportDoor {
  /** The most by which a report's time may differ from ours. */
  static final long CLOCK = 60_000;

  /** Modules that are remembered; far more than there are nodes. */
  static final int MOST_INSTANCES = 1024;

  private static final long FORGET = 3 * CLOCK;
  private static final String ALGORITHM = "HmacSHA256";

  private static final class Last {
    long sequence;
    long heard;
  }

  private final Mac mac;
  private final Counters counters;
  private final Map<Long, Last> instances = new LinkedHashMap<>();

  /** A door for one key, which the modules have by their property {@code report-key}. */
  public ReportDoor(byte[] key, Counters counters) {
    this.counters = counters;
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HMAC-SHA256", e);
    }
  }

  /** Returns the report of a datagram, or nothing and counts the reason. */
  public Optional<Report> admit(ByteBuffer datagram, long now) {
    counters.add(Counter.REPORTS);
    if (!genuine(datagram)) {
      counters.add(Counter.REPORTS_FORGED);
      return Optional.empty();
    }
    try {
      Report report = Report.read(datagram);
      return fresh(report, now) ? Optional.of(report) : Optional.empty();
    } catch (ReportException e) {
      counters.add(Counter.REPORTS_BAD);
      return Optional.empty();
    }
  }

  private boolean genuine(ByteBuffer datagram) {
    int length = datagram.remaining() - Report.MAC;
    if (length < 0 || datagram.remaining() > Report.LONGEST) {
      return false;
    }
    byte[] code = new byte[Report.MAC];
    datagram.get(datagram.position() + length, code);
    mac.update(datagram.slice(datagram.position(), length));
    return MessageDigest.isEqual(code, mac.doFinal());
  }

  private boolean fresh(Report report, long now) {
    if (Math.abs(now - report.time()) > CLOCK) {
      counters.add(Counter.REPORTS_CLOCK);
      return false;
    }
    Last last = instances.get(report.instance());
    if (last == null) {
      forget(now);
      if (instances.size() >= MOST_INSTANCES) {
        counters.add(Counter.REPORTS_FULL);
        return false;
      }
      last = new Last();
      instances.put(report.instance(), last);
    } else if (report.sequence() <= last.sequence) {
      counters.add(Counter.REPORTS_REPEATED);
      return false;
    }
    last.sequence = report.sequence();
    last.heard = now;
    return true;
  }

  private void forget(long now) {
    Iterator<Last> all = instances.values().iterator();
    while (all.hasNext()) {
      if (all.next().heard < now - FORGET) {
        all.remove();
      }
    }
  }

  /** Returns the number of modules that are remembered. */
  public int instances() {
    return instances.size();
  }
}
