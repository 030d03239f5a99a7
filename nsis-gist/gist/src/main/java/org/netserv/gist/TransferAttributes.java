// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist;

/**
 * The wanted or the actual transfer of a message (RFC 5971 section 4.1.2).
 *
 * @param reliable over a messaging association
 * @param secure over an association that authenticates the peer and protects bytes (TLS)
 * @param stateless without routing state, in Q-mode; never together with the others
 */
public record TransferAttributes(boolean reliable, boolean secure, boolean stateless) {
  public static final TransferAttributes UNRELIABLE = new TransferAttributes(false, false, false);
  public static final TransferAttributes RELIABLE = new TransferAttributes(true, false, false);
  public static final TransferAttributes SECURE = new TransferAttributes(true, true, false);
  public static final TransferAttributes STATELESS = new TransferAttributes(false, false, true);
}
