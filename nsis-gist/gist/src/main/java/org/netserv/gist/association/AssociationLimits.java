// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

/**
 * Limits on the resources that peers and strangers may take up.
 *
 * @param associations at a time, all together
 * @param unestablished accepted associations without a right first message; source addresses share
 *     them fairly, and the oldest of the source with most makes room
 * @param queueBytes bytes that may wait in one association for its connection; more bytes end it
 * @param setupMillis time for connecting, and for the first message of an accepted association
 *     (section 5.7.1)
 */
public record AssociationLimits(
    int associations, int unestablished, int queueBytes, long setupMillis) {
  public static final AssociationLimits DEFAULT = new AssociationLimits(4096, 256, 1 << 18, 30_000);
}
