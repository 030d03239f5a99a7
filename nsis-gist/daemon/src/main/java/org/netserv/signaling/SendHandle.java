// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import org.netserv.gist.MessageStatus;

/** The handle of every message that is sent. GIST gives it back with the outcome of the message. */
interface SendHandle {
  void status(MessageStatus status, String detail);
}
