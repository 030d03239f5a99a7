// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

/** No messaging association can be set up with this peer. */
public final class NoAssociationException extends Exception {
  public NoAssociationException(String message) {
    super(message);
  }
}
