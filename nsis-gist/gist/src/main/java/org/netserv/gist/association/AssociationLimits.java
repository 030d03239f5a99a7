// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

/**
 * How much peers and strangers may take up.
 *
 * @param associations at a time, all together
 * @param unestablished accepted ones without a right first message, shared fairly by source
 *     addresses: the oldest of the source with most makes room
 * @param queueBytes that wait in one association for its connection; more end it
 * @param setupMillis for connecting, and for an accepted one's first message (section 5.7.1)
 */
public record AssociationLimits(
    int associations, int unestablished, int queueBytes, long setupMillis) {
  public static final AssociationLimits DEFAULT = new AssociationLimits(4096, 256, 1 << 18, 30_000);
}
