// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

/**
 * How much peers and strangers may take up.
 *
 * @param associations at a time, all together
 * @param unestablished accepted ones without a right first message; one more and the oldest goes
 * @param unestablishedPerAddress of them from one IP address; more are refused
 * @param queueBytes that wait in one association for its connection; more end it
 * @param setupMillis for connecting, and for an accepted one's first message (section 5.7.1)
 */
public record AssociationLimits(
    int associations,
    int unestablished,
    int unestablishedPerAddress,
    int queueBytes,
    long setupMillis) {
  public static final AssociationLimits DEFAULT =
      new AssociationLimits(4096, 256, 16, 1 << 18, 30_000);
}
