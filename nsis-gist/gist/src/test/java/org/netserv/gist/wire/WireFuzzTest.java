// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Each round has its own seed, which a failure names. Whatever is thrown unchecked is a failure;
 * more rounds with {@code -Dnetserv.fuzz.rounds=N}.
 */
class WireFuzzTest {
  private static final int ROUNDS = Integer.getInteger("netserv.fuzz.rounds", 20_000);
  private static final List<Encapsulation> MODES = List.of(Encapsulation.values());
  private static final NetworkLayerInfo OWN =
      new NetworkLayerInfo(64, 30_000, new byte[16], InetAddress.getLoopbackAddress());

  private final List<byte[]> corpus = Vectors.all();
  private final Set<GistError> errors = EnumSet.noneOf(GistError.class);
  private int decoded;

  @Test
  void whatIsBuiltIsReadTheSame() {
    for (int seed = 0; seed < ROUNDS; seed++) {
      round(seed, this::buildAndRead);
    }
  }

  private void buildAndRead(Random random) throws GistFormatException {
    GistMessage message = new RandomMessages(random).next();
    byte[] bytes = message.encode();
    assertEquals(message, GistMessage.decode(bytes));
    assertArrayEquals(bytes, GistMessage.decode(bytes).encode());
    Optional<Mri> mri = message.find(Mri.class);
    if (mri.isPresent()) {
      assertEquals(mri.get(), Mri.decode(mri.get().value()));
      assertArrayEquals(mri.get().value(), OffendingMessage.of(bytes).mri());
    }
  }

  @Test
  void damagedMessagesAreRefusedOrReadLikeTheirCopy() {
    for (int seed = 0; seed < ROUNDS * 5; seed++) {
      round(seed, this::damageAndRead);
    }
    assertTrue(decoded > ROUNDS / 4, "the damage was too wild: " + decoded);
    assertTrue(errors.containsAll(wireErrors()), () -> "never seen: " + neverSeen());
  }

  private void damageAndRead(Random random) throws GistFormatException {
    byte[] right =
        random.nextBoolean()
            ? corpus.get(random.nextInt(corpus.size()))
            : new RandomMessages(random).next().encode();
    byte[] bytes = damage(right, random);
    GistMessage message;
    try {
      message = GistMessage.decode(bytes);
    } catch (MalformedMessageException e) {
      errors.add(e.error());
      answer(e, random);
      return;
    }
    decoded++;
    byte[] again = message.encode();
    assertEquals(message, GistMessage.decode(again));
    assertArrayEquals(again, GistMessage.decode(again).encode());
    assertEquals(message, GistMessage.decode(RawMessage.withoutIgnored(bytes)));
    RawMessage.withHops(bytes, 1);
  }

  /** The answer to anything is a right message itself. */
  private static void answer(MalformedMessageException e, Random random)
      throws GistFormatException {
    Encapsulation came = MODES.get(random.nextInt(MODES.size()));
    NetworkLayerInfo own = came == Encapsulation.C_MODE ? null : OWN;
    Optional<GistMessage> answer = ErrorMessages.answer(e, came, 10, own);
    if (answer.isPresent()) {
      assertEquals(answer.get(), GistMessage.decode(answer.get().encode(), came));
      assertEquals(
          Optional.of(e.error()), answer.get().find(ErrorObject.class).orElseThrow().error());
    }
  }

  private static byte[] damage(byte[] bytes, Random random) {
    byte[] out = bytes.clone();
    for (int i = random.nextInt(4); i >= 0; i--) {
      int at = random.nextInt(out.length);
      switch (random.nextInt(7)) {
        case 0 -> out[at] = (byte) random.nextInt(256);
        case 1 -> out[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> out[at] = (byte) (random.nextBoolean() ? 0 : 0xff);
        case 3 -> out = splice(out, at & ~3, 0, new RandomMessages(random).bytes(4));
        case 4 -> out = splice(out, at & ~3, Math.min(4, out.length - (at & ~3)), new byte[0]);
        case 5 -> {
          int to = (at & ~3) + 4 * random.nextInt((out.length - (at & ~3)) / 4 + 1);
          out = splice(out, at & ~3, 0, Arrays.copyOfRange(out, at & ~3, to));
        }
        default -> out = Arrays.copyOf(out, at);
      }
      if (out.length < 4) {
        return out;
      }
    }
    if (random.nextInt(4) > 0) {
      NetworkOrder.put16(
          out, 2, Math.max(0, (out.length - 8) / 4)); // or nothing else would be looked at
    }
    return out;
  }

  private static byte[] splice(byte[] bytes, int at, int remove, byte[] insert) {
    byte[] out = Arrays.copyOf(bytes, bytes.length - remove + insert.length);
    System.arraycopy(insert, 0, out, at, insert.length);
    System.arraycopy(bytes, at + remove, out, at + insert.length, bytes.length - at - remove);
    return out;
  }

  @Test
  void noiseIsRefused() {
    for (int seed = 0; seed < ROUNDS; seed++) {
      round(
          seed,
          random -> {
            byte[] noise = new RandomMessages(random).bytes(random.nextInt(200));
            if (noise.length >= 8 && random.nextBoolean()) {
              noise[0] = 1;
              NetworkOrder.put16(noise, 2, (noise.length - 8) / 4);
              noise[6] &= (byte) 0x87;
            }
            answer(Edited.refused(noise), random);
            try {
              Mri mri = Mri.decode(noise);
              assertEquals(mri, Mri.decode(mri.value()));
            } catch (GistFormatException e) {
              assertEquals(10, e.code());
            }
          });
    }
  }

  /** Errors that the bytes of a message alone can have. */
  private static Set<GistError> wireErrors() {
    return EnumSet.of(
        GistError.UNKNOWN_VERSION,
        GistError.UNKNOWN_TYPE,
        GistError.INVALID_R_FLAG,
        GistError.INCORRECT_MESSAGE_LENGTH,
        GistError.INVALID_E_FLAG,
        GistError.INVALID_C_FLAG,
        GistError.DUPLICATE_OBJECT,
        GistError.UNRECOGNISED_OBJECT,
        GistError.MISSING_OBJECT,
        GistError.INVALID_OBJECT_TYPE,
        GistError.INVALID_EXTENSIBILITY_FLAGS,
        GistError.INCORRECT_LENGTH,
        GistError.VALUE_NOT_SUPPORTED,
        GistError.INVALID_FLAG_FIELD_COMBINATION,
        GistError.EMPTY_LIST,
        GistError.STACK_MISMATCH);
  }

  private Set<GistError> neverSeen() {
    Set<GistError> rest = wireErrors();
    rest.removeAll(errors);
    return rest;
  }

  private interface Round {
    void run(Random random) throws GistFormatException;
  }

  private static void round(int seed, Round round) {
    try {
      round.run(new Random(seed));
    } catch (GistFormatException | RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed + ": " + e, e);
    }
  }
}
