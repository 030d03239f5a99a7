// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.log;

import java.io.Closeable;
import java.util.List;
import java.util.function.Consumer;

/**
 * The ordered log of accepted NCMs. Used on the loop only. {@link #append} is the one call there
 * that waits for a disk: an fsync of milliseconds, at the rate that the publishers' SETUP limits
 * allow. It waits because nothing may follow an acceptance before the acceptance is durable. The
 * order of the log is the order of the decisions.
 */
public interface NcmLog extends Closeable {

  /**
   * Appends all records or none, and returns only when they survive a power cut.
   *
   * @throws LogException when they could not be written, so that nothing was accepted
   */
  void append(List<LogRecord> records) throws LogException;

  /**
   * Forgets the freshness of messages that are too old to be believed, in memory. The file loses
   * them with its next compaction.
   *
   * @param now wall clock, milliseconds since 1970
   */
  void forget(long now);

  /** Returns the fold of all appended records. The caller must not change it. */
  DesiredState snapshot();

  /**
   * Calls {@code watcher} after each append, on the appending thread, with the records in order.
   */
  void watch(Consumer<LogRecord> watcher);

  @Override
  void close();
}
