// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/** Results of reading some bytes of a message's content. */
public enum ContentStep {
  /** All bytes are read, and the content goes on behind them. */
  MORE,
  /** A range of the bytes is content. */
  DATA,
  /** The content is whole. Bytes behind it belong to the next message. */
  END,
  /** The content has a fault, and nothing more can be read. */
  FAULT
}
