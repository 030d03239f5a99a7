// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import java.util.List;
import java.util.random.RandomGenerator;
import org.netserv.gist.association.AssociationCounters.Counter;
import org.netserv.gist.port.Timers;
import org.netserv.gist.wire.CommonHeader;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.HelloId;
import org.netserv.gist.wire.MessageType;

/**
 * The settings and services that all associations of a node share.
 *
 * @param hold our MA-Hold-Time, ms
 */
record AssociationContext(
    long hold,
    AssociationLimits limits,
    Timers timers,
    RandomGenerator random,
    AssociationCounters counters) {
  void count(Counter counter) {
    counters.count(counter);
  }

  /** Returns an encoded MA-Hello. Its hop count is 1 because it is for the peer alone. */
  static byte[] hello(boolean reply, int helloId) {
    CommonHeader header = new CommonHeader(1, 0, MessageType.MA_HELLO, false, true, reply, false);
    return new GistMessage(header, List.of(new HelloId(helloId))).encode();
  }
}
