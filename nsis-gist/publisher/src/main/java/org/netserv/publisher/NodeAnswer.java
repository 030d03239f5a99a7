// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.net.InetAddress;
import java.security.PublicKey;
import org.netserv.ncm.ResponseStack.Signer;

/**
 * The answer of one node.
 *
 * @param hop place on the path, from 1; nodes that were not addressed are not counted
 * @param address the address at which the node says it can be reached; send users there only when
 *     the signer is VERIFIED
 * @param status as in the NCM's table of status codes
 * @param data JSON text, may be empty; a node may have written anything, so parse it as such
 * @param signer VERIFIED: signed by a node-id that this client knows; UNKNOWN: signed by a node-id
 *     that this client does not know; FORGED: not that node's signature for this request
 * @param key of the node, to which properties can be sealed; null when it is FORGED
 */
public record NodeAnswer(
    int hop,
    String nodeId,
    InetAddress address,
    int status,
    String data,
    Signer signer,
    PublicKey key) {

  /** Makes an answer without a key. */
  public NodeAnswer(
      int hop, String nodeId, InetAddress address, int status, String data, Signer signer) {
    this(hop, nodeId, address, status, data, signer, null);
  }

  /** Status 2xx, and not forged. */
  public boolean done() {
    return status >= 200 && status < 300 && signer != Signer.FORGED;
  }
}
