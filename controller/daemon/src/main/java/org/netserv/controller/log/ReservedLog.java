// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.log;

import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log that gives up the ballast of {@link Storage} before it refuses a record. New SETUPs are
 * refused long before, so the ballast serves refreshes, REMOVEs and the ends of modules.
 */
public final class ReservedLog implements NcmLog {
  private static final Logger LOG = LoggerFactory.getLogger(ReservedLog.class);

  private final NcmLog log;
  private final Storage storage;

  public ReservedLog(NcmLog log, Storage storage) {
    this.log = log;
    this.storage = storage;
  }

  @Override
  public void append(List<LogRecord> records) throws LogException {
    try {
      log.append(records);
    } catch (LogException e) {
      if (!storage.release()) {
        throw e;
      }
      LOG.warn("{}; written again with the room that was held back", e.getMessage());
      log.append(records);
    }
  }

  @Override
  public void forget(long now) {
    log.forget(now);
  }

  @Override
  public DesiredState snapshot() {
    return log.snapshot();
  }

  @Override
  public void watch(Consumer<LogRecord> watcher) {
    log.watch(watcher);
  }

  @Override
  public void close() {
    log.close();
  }
}
