// SPDX-License-Identifier: Apache-2.0
package org.netserv.media;

import java.nio.ByteBuffer;

/** The way to a process. Tests have one of their own. */
interface Door {
  /** Places in the results. */
  int REASON = 0;

  int STATUS = 1;
  int TAIL = 2;
  int RESULTS = 3;

  /** Bytes that are kept of the last words of the process. */
  int TAIL_MOST = 1024;

  /** Tells whether there is a host behind it. */
  boolean present();

  /**
   * Runs the process on this thread.
   *
   * @param numbers of the order
   * @param exchange is asked for input, and given output
   * @param picture direct, from 0 to its limit
   * @param results get reason, exit status, and the length of the tail
   * @param tail gets the last words of the process
   */
  void go(int[] numbers, Exchange exchange, ByteBuffer picture, int[] results, byte[] tail);
}
