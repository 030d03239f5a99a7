// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.util.Arrays;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.netserv.values.NodeIdentity;
import org.netserv.values.PublisherKeys;

/**
 * The answer of one node. The node signs it over the request's nonce, the hash of the entry below
 * in the stack and its own data, so that an entry fits one request and one place.
 *
 * <pre>
 *   0x0001 NODE-ID    26 characters
 *   0x0002 ADDRESS    4 or 16 bytes
 *   0x0003 STATUS     2 bytes, 100 to 599
 *   0x0004 DATA       UTF-8, may be empty
 *   0x0005 KEY        SubjectPublicKeyInfo of the node's P-256 key, DER
 *   0x0006 SIGNATURE  ECDSA with SHA-256, DER
 * </pre>
 */
public final class ResponseEntry {
  /** The most bytes of data. */
  public static final int MAX_DATA = 4096;

  /** The most bytes of an encoded entry. */
  public static final int MAX_BYTES = 5120;

  private static final int NODE_ID = 1;
  private static final int ADDRESS = 2;
  private static final int STATUS = 3;
  private static final int DATA = 4;
  private static final int KEY = 5;
  private static final int SIGNATURE = 6;
  private static final int MAX_SIGNATURE = 80;
  private static final byte[] SIGNED = "NETSERV-RESPONSE-1\0".getBytes(StandardCharsets.US_ASCII);

  private final String nodeId;
  private final InetAddress address;
  private final int status;
  private final String data;
  private final byte[] publicKey;
  private final byte[] signature;

  private ResponseEntry(
      String nodeId,
      InetAddress address,
      int status,
      String data,
      byte[] publicKey,
      byte[] signature) {
    this.nodeId = nodeId;
    this.address = address;
    this.status = status;
    this.data = data;
    this.publicKey = publicKey;
    this.signature = signature;
  }

  /**
   * Makes and signs an entry.
   *
   * @param nonce the request's, 16 bytes; empty when it has none
   * @param below {@link #hash} of the entry below, or {@link ResponseStack#BOTTOM}
   * @param status 100 to 599
   * @param data at most {@link #MAX_DATA} bytes of UTF-8
   */
  static ResponseEntry create(
      NodeIdentity node, byte[] nonce, byte[] below, InetAddress address, int status, String data) {
    if (status < 100 || status > 599 || data.getBytes(StandardCharsets.UTF_8).length > MAX_DATA) {
      throw new IllegalArgumentException(
          "status " + status + ", " + data.length() + " characters of data");
    }
    byte[] key = node.publicKey().getEncoded();
    ResponseEntry bare = new ResponseEntry(node.nodeId(), address, status, data, key, new byte[0]);
    byte[] signature = node.sign(bare.signedBytes(nonce, below));
    return new ResponseEntry(node.nodeId(), address, status, data, key, signature);
  }

  public String nodeId() {
    return nodeId;
  }

  /**
   * Returns the address at which the node claims to be reachable. Do not believe it before {@link
   * ResponseStack#verify} has returned VERIFIED.
   */
  public InetAddress address() {
    return address;
  }

  /** 100 to 599. */
  public int status() {
    return status;
  }

  public String data() {
    return data;
  }

  /** SubjectPublicKeyInfo, DER, a copy. */
  public byte[] publicKey() {
    return publicKey.clone();
  }

  /** A copy. */
  public byte[] signature() {
    return signature.clone();
  }

  /**
   * Returns the SHA-256 of the encoded entry, its signature included. The entry above signs this
   * hash.
   */
  byte[] hash() {
    return NodeIdentity.sha256(encode());
  }

  /**
   * Tells whether the key has this node-id and has signed the entry for that nonce and that entry
   * below.
   */
  boolean signedFor(byte[] nonce, byte[] below) {
    try {
      PublicKey key = PublisherKeys.readSpki(publicKey);
      return PublisherKeys.algorithm(key) == PublisherKeys.Algorithm.P256
          && NodeIdentity.nodeId(key).equals(nodeId)
          && PublisherKeys.verify(key, signedBytes(nonce, below), signature);
    } catch (BadValueException e) {
      return false;
    }
  }

  /**
   * Returns the bytes to sign: prefix | nonce (16 bytes, zero without one) | hash of the entry
   * below (32) | the entry's TLVs but the signature.
   */
  private byte[] signedBytes(byte[] nonce, byte[] below) {
    if (nonce.length != 0 && nonce.length != Ncm.NONCE_BYTES) {
      throw new IllegalArgumentException("a nonce of " + nonce.length + " bytes");
    }
    byte[] own = fields().bytes();
    return ByteBuffer.allocate(SIGNED.length + Ncm.NONCE_BYTES + below.length + own.length)
        .put(SIGNED)
        .put(Arrays.copyOf(nonce, Ncm.NONCE_BYTES))
        .put(below)
        .put(own)
        .array();
  }

  private Tlv.Writer fields() {
    return new Tlv.Writer()
        .put(NODE_ID, nodeId.getBytes(StandardCharsets.US_ASCII))
        .put(ADDRESS, address.getAddress())
        .put(STATUS, ByteBuffer.allocate(2).putShort((short) status).array())
        .put(DATA, data.getBytes(StandardCharsets.UTF_8))
        .put(KEY, publicKey);
  }

  /** The binary form, at most {@link #MAX_BYTES}. */
  public byte[] encode() {
    return fields().put(SIGNATURE, signature).bytes();
  }

  /** Reads an entry that fills the array. Says nothing about its signature. */
  public static ResponseEntry decode(byte[] bytes) throws NcmException {
    if (bytes.length > MAX_BYTES) {
      throw NcmException.tooLarge("answer: longer than " + MAX_BYTES + " bytes");
    }
    try {
      Tlv.Reader in = new Tlv.Reader(bytes);
      ResponseEntry entry =
          new ResponseEntry(
              HeaderValues.nodeId(ValueKind.strictUtf8(field(in, NODE_ID))),
              Addresses.parse(ValueKind.ADDRESS.toText(field(in, ADDRESS))),
              status(field(in, STATUS)),
              ValueKind.strictUtf8(bounded(field(in, DATA), 0, MAX_DATA, "data")),
              bounded(field(in, KEY), 1, 256, "key"),
              bounded(field(in, SIGNATURE), 1, MAX_SIGNATURE, "signature"));
      if (in.next()) {
        throw new BadValueException("unknown " + Tlv.name(in.type()));
      }
      return entry;
    } catch (BadValueException e) {
      throw NcmException.bad("answer: " + e.getMessage());
    }
  }

  private static byte[] field(Tlv.Reader in, int type) throws BadValueException {
    if (!in.next() || in.type() != type) {
      throw new BadValueException(Tlv.name(type) + " is missing");
    }
    return in.value();
  }

  private static int status(byte[] value) throws BadValueException {
    int status = value.length == 2 ? ByteBuffer.wrap(value).getShort() : -1;
    if (status < 100 || status > 599) {
      throw new BadValueException("status is not from 100 to 599 in 2 bytes");
    }
    return status;
  }

  private static byte[] bounded(byte[] value, int min, int max, String what)
      throws BadValueException {
    if (value.length < min || value.length > max) {
      throw new BadValueException(what + " of " + value.length + " bytes");
    }
    return value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ResponseEntry that && Arrays.equals(encode(), that.encode());
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(signature);
  }

  @Override
  public String toString() {
    return nodeId + " " + Addresses.print(address) + " " + status;
  }
}
