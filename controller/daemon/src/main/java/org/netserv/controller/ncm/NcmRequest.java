// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.net.InetAddress;
import java.util.Optional;
import org.netserv.ncm.Ncm;

/**
 * A message as it came in.
 *
 * @param source of the socket, for the audit log: {@code admin uid=0}, {@code signaling uid=..}
 * @param waitMillis time that the sender waits for an end state
 * @param destination the flow's destination, believed from the signaling socket only
 * @param last whether this is the last NetServ node on the path
 * @param origin the place that it came from, from the signaling socket only
 */
public record NcmRequest(
    Ncm ncm,
    String source,
    long waitMillis,
    Optional<InetAddress> destination,
    boolean last,
    Optional<Origin> origin) {
  /** Makes a request with a flow that is not known. */
  public NcmRequest(
      Ncm ncm, String source, long waitMillis, Optional<InetAddress> destination, boolean last) {
    this(ncm, source, waitMillis, destination, last, Optional.empty());
  }
}
