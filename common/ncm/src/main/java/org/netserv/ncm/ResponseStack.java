// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.netserv.values.NodeIdentity;

/**
 * The answers of all nodes on a path. The last node on the path answers first and lies at the
 * bottom; on the way back each node pushes its entry on top. Encoded from the bottom up, each entry
 * as {@code length16 | entry}.
 */
public final class ResponseStack {
  /** The most entries. */
  public static final int MAX_ENTRIES = 64;

  /** The most bytes of an encoded stack. */
  public static final int MAX_BYTES = 65_535;

  /** Stands for the hash of the entry below the lowest: 32 zero bytes. */
  private static final byte[] BOTTOM = new byte[32];

  /** No answer yet. */
  public static final ResponseStack EMPTY = new ResponseStack(List.of());

  private final List<ResponseEntry> entries;

  private ResponseStack(List<ResponseEntry> entries) {
    this.entries = List.copyOf(entries);
  }

  /** The result of checking an entry's signature. */
  public enum Signer {
    /** Signed in this place for this request by a node-id the caller knows. */
    VERIFIED,
    /**
     * Signed like VERIFIED, but the caller does not know the node-id. Send nobody to its address.
     */
    UNKNOWN,
    /** The signature is not made by that node-id for this request in this place. */
    FORGED
  }

  /** An entry and the result of checking its signature. */
  public record Checked(ResponseEntry entry, Signer signer) {}

  /** A stack of entries, from the bottom up. */
  public static ResponseStack of(List<ResponseEntry> entries) throws NcmException {
    if (entries.size() > MAX_ENTRIES) {
      throw NcmException.tooLarge("answers: more than " + MAX_ENTRIES);
    }
    return new ResponseStack(entries);
  }

  /** From the bottom (the last node on the path) up; unmodifiable. */
  public List<ResponseEntry> entries() {
    return entries;
  }

  /**
   * Returns this stack with one more entry on top, made and signed for its place.
   *
   * @param nonce the request's 16 bytes; empty when it has none
   * @param status 100 to 599
   * @param data at most {@link ResponseEntry#MAX_DATA} bytes of UTF-8
   * @throws NcmException 413 when the stack is full
   */
  public ResponseStack push(
      NodeIdentity node, byte[] nonce, InetAddress address, int status, String data)
      throws NcmException {
    byte[] below = entries.isEmpty() ? BOTTOM : entries.get(entries.size() - 1).hash();
    List<ResponseEntry> more = new ArrayList<>(entries);
    more.add(ResponseEntry.create(node, nonce, below, address, status, data));
    return of(more);
  }

  /**
   * Checks every entry, from the bottom up.
   *
   * @param nonce of the request that was sent; empty when it had none
   * @param known node-ids the caller trusts to be routers on its paths
   */
  public List<Checked> verify(byte[] nonce, Set<String> known) {
    List<Checked> result = new ArrayList<>();
    byte[] below = BOTTOM;
    for (ResponseEntry entry : entries) {
      Signer signer = Signer.FORGED;
      if (entry.signedFor(nonce, below)) {
        signer = known.contains(entry.nodeId()) ? Signer.VERIFIED : Signer.UNKNOWN;
      }
      result.add(new Checked(entry, signer));
      below = entry.hash();
    }
    return List.copyOf(result);
  }

  /** {@link #verify(byte[], Set)} for a caller that knows no node. */
  public List<Checked> verify(byte[] nonce) {
    return verify(nonce, Set.of());
  }

  public byte[] encode() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (ResponseEntry entry : entries) {
      byte[] bytes = entry.encode();
      out.writeBytes(ByteBuffer.allocate(2).putShort((short) bytes.length).array());
      out.writeBytes(bytes);
    }
    return out.toByteArray();
  }

  /** Reads a stack that fills the array. */
  public static ResponseStack decode(byte[] bytes) throws NcmException {
    if (bytes.length > MAX_BYTES) {
      throw NcmException.tooLarge("answers: longer than " + MAX_BYTES + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    List<ResponseEntry> entries = new ArrayList<>();
    while (in.hasRemaining()) {
      if (in.remaining() < 2) {
        throw NcmException.bad("answers: cut short");
      }
      int length = Short.toUnsignedInt(in.getShort());
      if (length > in.remaining()) {
        throw NcmException.bad("answers: cut short");
      }
      byte[] entry = new byte[length];
      in.get(entry);
      entries.add(ResponseEntry.decode(entry));
    }
    return of(entries);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ResponseStack that && entries.equals(that.entries);
  }

  @Override
  public int hashCode() {
    return entries.hashCode();
  }

  @Override
  public String toString() {
    return entries.toString();
  }
}
