// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

/** The one consumer of packets. */
@FunctionalInterface
public interface BatchHandler {
  /**
   * Handles a batch on the packet thread: reads descriptors, writes verdict records. It must not
   * throw, block or allocate.
   *
   * @param first sequence number of the first new descriptor
   * @param count of new descriptors, 0 to {@link Ring#BATCH}; 0 means that {@link Host#wake} was
   *     called
   * @param answered number of the next free verdict record
   * @return verdict records written; for each new descriptor one, and any number of late answers
   */
  int onBatch(long first, int count, long answered);
}
