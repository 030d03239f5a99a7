// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.nio.ByteBuffer;
import org.netserv.stun.StunAddress;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunMessage;
import org.netserv.stun.StunWriter;

/** A request and its answer. One object serves all requests, one after the other. */
final class Exchange {
  /** Bytes of an answer, one with PADDING excepted. A DTLS record takes no more. */
  static final int ANSWER_MOST = 1400;

  /** Bytes of an answer with PADDING. */
  static final int PADDED_MOST = 2000;

  final StunMessage request = new StunMessage();
  final StunWriter answer = new StunWriter();
  final ByteBuffer bytes = ByteBuffer.allocateDirect(PADDED_MOST);
  final StunAddress address = new StunAddress();

  /** The client, which is replaced when its allocation moves to it. */
  Client client;

  /** The allocation of the client's 5-tuple, null = it has none. */
  Allocation allocation;

  /** The credentials that hold, and their user. */
  Login login;

  String user;

  /** The attribute that protects the answer. */
  StunAttribute signature;

  /** The time of {@link System#nanoTime} or of a test. */
  long now;

  /** Tells that the answer comes later. */
  boolean later;
}
