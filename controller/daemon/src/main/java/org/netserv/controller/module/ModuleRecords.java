// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.List;
import java.util.Optional;
import org.netserv.controller.log.DesiredModule;
import org.netserv.controller.log.FetchedBundle;
import org.netserv.controller.log.LogException;
import org.netserv.controller.log.LogRecord;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.log.NcmLog;
import org.netserv.controller.loop.Loop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The records of the log about the lives of modules. */
final class ModuleRecords {
  private static final Logger LOG = LoggerFactory.getLogger(ModuleRecords.class);

  private final Loop loop;
  private final NcmLog log;

  ModuleRecords(Loop loop, NcmLog log) {
    this.loop = loop;
    this.log = log;
  }

  /** Returns the module as the log wants it; empty if it has no claim any more. */
  Optional<DesiredModule> desired(ModuleKey key) {
    return log.snapshot().module(key);
  }

  List<DesiredModule> all() {
    return log.snapshot().modules();
  }

  List<FetchedBundle> bundles() {
    return log.snapshot().bundles();
  }

  void running(ModuleLife life) {
    append(new LogRecord.Running(loop.wall(), user(life), module(life), life.sha256));
  }

  /** Records a quarantine. Returns false if the log has it already. */
  boolean quarantined(ModuleLife life) {
    String version = life.order.version();
    if (desired(life.key()).filter(m -> m.quarantine(version).isPresent()).isPresent()) {
      return false;
    }
    append(new LogRecord.Quarantined(loop.wall(), user(life), module(life), version, life.because));
    return true;
  }

  /** Records a release from quarantine. Returns false if the log cannot be written. */
  boolean released(ModuleKey key) {
    return append(new LogRecord.Released(loop.wall(), key.user(), key.module()));
  }

  /**
   * Records the failure of a module that the log wants.
   *
   * @param comingUp whether it has not run in this incarnation
   */
  void failed(ModuleLife life, boolean comingUp) {
    if (desired(life.key()).isPresent()) {
      String why = life.outcome.reason();
      append(
          comingUp
              ? new LogRecord.Failed(loop.wall(), user(life), module(life), why)
              : new LogRecord.Ended(loop.wall(), user(life), module(life), why));
    }
  }

  /** Returns false if the log cannot be written. It then has an older word after a restart. */
  private boolean append(LogRecord record) {
    try {
      log.append(List.of(record));
      return true;
    } catch (LogException e) {
      LOG.error("log: {}", e.getMessage());
      return false;
    }
  }

  private static String user(ModuleLife life) {
    return life.key().user();
  }

  private static String module(ModuleLife life) {
    return life.key().module();
  }
}
