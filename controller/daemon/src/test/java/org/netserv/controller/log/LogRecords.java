// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.LogRecord.Freshness;

/** Random histories: any record in any order, from small sets of names, so that they meet. */
final class LogRecords {
  private LogRecords() {}

  static List<LogRecord> random(Random random, int count) {
    List<LogRecord> records = new ArrayList<>();
    long time = 1_700_000_000_000L;
    for (int i = 0; i < count; i++) {
      time += random.nextInt(200_000);
      records.add(record(random, time, i));
    }
    return records;
  }

  private static LogRecord record(Random random, long time, int i) {
    String user = "user" + random.nextInt(3);
    String module = "module" + random.nextInt(4);
    String session = "session" + random.nextInt(3);
    String version = "1." + random.nextInt(3) + ".0";
    Freshness fresh =
        random.nextInt(10) == 0
            ? null
            : new Freshness(i, "nonce" + random.nextInt(40), time + 600_000, "b" + i);
    return switch (random.nextInt(13)) {
      case 0, 1, 2 ->
          new LogRecord.Setup(
              time,
              user,
              module,
              version,
              session,
              random.nextBoolean() ? "sha" + version : null,
              time + 60_000,
              60_000,
              0,
              fresh,
              "tlv" + i,
              random.nextBoolean()
                  ? new Delegate("id" + random.nextInt(3), "" + random.nextInt(6))
                  : null);
      case 3 ->
          new LogRecord.Remove(
              time, user, random.nextInt(4) == 0 ? "*" : module, session, fresh, "tlv" + i, null);
      case 4 -> new LogRecord.Running(time, user, module, "sha" + version);
      case 5 -> new LogRecord.Failed(time, user, module, "failed");
      case 6 -> new LogRecord.Lapsed(time, user, module, session);
      case 7 ->
          random.nextInt(3) == 0
              ? new LogRecord.Ended(time, user, module, "ended")
              : new LogRecord.Enrolled(time, user, random.nextInt(9));
      case 8 ->
          new LogRecord.Revoked(
              time,
              user,
              List.of("" + random.nextInt(6), "key:id" + random.nextInt(3)),
              time + 600_000,
              fresh);
      case 9 ->
          new LogRecord.Fetch(
              time,
              user,
              module,
              version,
              session,
              "sha" + version,
              time + 60_000,
              60_000,
              fresh,
              "tlv" + i);
      case 10 ->
          new LogRecord.Fetched(time, user, module, "sha" + version, 1 + i, "trust", time + 90_000);
      case 11 ->
          new LogRecord.Dropped(
              time, user, module, random.nextInt(4) == 0 ? null : session, null, "dropped");
      default ->
          new LogRecord.Answered(
              time, user, "nonce" + random.nextInt(40), new Answer(200, null, "running" + i));
    };
  }
}
