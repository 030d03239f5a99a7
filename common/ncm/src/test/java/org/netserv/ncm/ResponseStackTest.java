// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.ncm.ResponseStack.Signer.FORGED;
import static org.netserv.ncm.ResponseStack.Signer.UNKNOWN;
import static org.netserv.ncm.ResponseStack.Signer.VERIFIED;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.netserv.values.Addresses;
import org.netserv.values.NodeIdentity;
import org.netserv.values.RandomValues;

class ResponseStackTest {
  private static final NodeIdentity FAR = NodeIdentity.generate(new SecureRandom());
  private static final NodeIdentity MIDDLE = NodeIdentity.generate(new SecureRandom());
  private static final NodeIdentity NEAR = NodeIdentity.generate(new SecureRandom());
  private static final byte[] NONCE = RandomValues.bytes(new Random(7), 16);
  private static final InetAddress ADDRESS = Addresses.of(new byte[] {(byte) 192, 0, 2, 1});

  private static ResponseStack three() throws NcmException {
    return ResponseStack.EMPTY
        .push(FAR, NONCE, ADDRESS, 200, "")
        .push(MIDDLE, NONCE, ADDRESS, 202, "state=fetching")
        .push(NEAR, NONCE, ADDRESS, 403, "header=filter-prefix é");
  }

  private static List<ResponseStack.Signer> signers(ResponseStack stack, byte[] nonce) {
    return stack.verify(nonce, Set.of(FAR.nodeId(), NEAR.nodeId())).stream()
        .map(ResponseStack.Checked::signer)
        .toList();
  }

  @Test
  void eachEntryIsVerifiedUnknownOrForged() throws NcmException {
    assertEquals(List.of(VERIFIED, UNKNOWN, VERIFIED), signers(three(), NONCE));
    assertEquals(
        List.of(UNKNOWN, UNKNOWN, UNKNOWN),
        three().verify(NONCE).stream().map(ResponseStack.Checked::signer).toList());
    assertEquals(List.of(FORGED, FORGED, FORGED), signers(three(), new byte[16]));
  }

  @Test
  void readsBack() throws NcmException {
    ResponseStack read = ResponseStack.decode(three().encode());
    assertEquals(three().entries().get(1).data(), read.entries().get(1).data());
    assertEquals(403, read.entries().get(2).status());
    assertEquals(ADDRESS, read.entries().get(0).address());
    assertEquals(List.of(VERIFIED, UNKNOWN, VERIFIED), signers(read, NONCE));
    assertEquals(ResponseStack.EMPTY, ResponseStack.decode(new byte[0]));
  }

  @Test
  void removingSwappingOrChangingAnEntryShows() throws NcmException {
    List<ResponseEntry> entries = three().entries();
    assertEquals(
        List.of(VERIFIED, FORGED),
        signers(ResponseStack.of(List.of(entries.get(0), entries.get(2))), NONCE));
    assertEquals(
        List.of(FORGED, VERIFIED),
        signers(ResponseStack.of(entries.subList(1, 3)), NONCE).stream()
            .map(s -> s == UNKNOWN ? VERIFIED : s)
            .toList());
    List<ResponseEntry> swapped = new ArrayList<>(entries);
    Collections.swap(swapped, 0, 1);
    assertEquals(List.of(FORGED, FORGED, FORGED), signers(ResponseStack.of(swapped), NONCE));
  }

  /** Another node's key beside a known node-id proves nothing. */
  @Test
  void aNodeIdMustBeTheKeys() throws NcmException {
    byte[] bytes =
        ResponseStack.EMPTY.push(MIDDLE, NONCE, ADDRESS, 200, "").entries().get(0).encode();
    byte[] id = FAR.nodeId().getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(id, 0, bytes, 4, id.length);
    ResponseStack stack = ResponseStack.of(List.of(ResponseEntry.decode(bytes)));
    assertEquals(List.of(FORGED), signers(stack, NONCE));
  }

  @Test
  void everyFlippedBitIsRefusedOrForged() throws NcmException {
    ResponseEntry entry =
        ResponseStack.EMPTY.push(FAR, NONCE, ADDRESS, 200, "data").entries().get(0);
    byte[] bytes = entry.encode();
    int forged = 0;
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << (bit % 8));
      try {
        ResponseEntry read = ResponseEntry.decode(flipped);
        assertNotEquals(entry, read);
        assertEquals(List.of(FORGED), signers(ResponseStack.of(List.of(read)), NONCE));
        forged++;
      } catch (NcmException e) {
        assertTrue(e.getMessage().startsWith("answer: "), e.getMessage());
      }
    }
    assertTrue(forged > 0);
  }

  @Test
  void everyCutIsRefused() throws NcmException {
    byte[] entry = three().entries().get(1).encode();
    for (int length = 0; length < entry.length; length++) {
      byte[] cut = Arrays.copyOf(entry, length);
      assertEquals(400, assertThrows(NcmException.class, () -> ResponseEntry.decode(cut)).status());
    }
    byte[] stack = ResponseStack.EMPTY.push(FAR, NONCE, ADDRESS, 200, "").encode();
    for (int length = 1; length < stack.length; length++) {
      byte[] cut = Arrays.copyOf(stack, length);
      assertEquals(400, assertThrows(NcmException.class, () -> ResponseStack.decode(cut)).status());
    }
  }

  @Test
  void limits() throws NcmException {
    String data = "x".repeat(ResponseEntry.MAX_DATA);
    ResponseStack stack = ResponseStack.EMPTY.push(FAR, NONCE, ADDRESS, 599, data);
    assertEquals(stack, ResponseStack.decode(stack.encode()));
    assertThrows(
        IllegalArgumentException.class,
        () -> ResponseStack.EMPTY.push(FAR, NONCE, ADDRESS, 200, data + "x"));
    assertThrows(
        IllegalArgumentException.class,
        () -> ResponseStack.EMPTY.push(FAR, NONCE, ADDRESS, 600, ""));
    assertThrows(
        IllegalArgumentException.class,
        () -> ResponseStack.EMPTY.push(FAR, new byte[3], ADDRESS, 200, ""));
    List<ResponseEntry> many =
        Collections.nCopies(ResponseStack.MAX_ENTRIES + 1, stack.entries().get(0));
    assertEquals(413, assertThrows(NcmException.class, () -> ResponseStack.of(many)).status());
    assertEquals(
        413,
        assertThrows(NcmException.class, () -> ResponseStack.decode(new byte[65_536])).status());
    assertEquals(
        413, assertThrows(NcmException.class, () -> ResponseEntry.decode(new byte[5121])).status());
  }

  @Test
  void aRequestWithoutANonceHasAPlaceToo() throws NcmException {
    ResponseStack stack = ResponseStack.EMPTY.push(FAR, new byte[0], ADDRESS, 200, "");
    assertEquals(List.of(VERIFIED), signers(stack, new byte[0]));
    assertFalse(signers(stack, NONCE).contains(VERIFIED));
  }
}
