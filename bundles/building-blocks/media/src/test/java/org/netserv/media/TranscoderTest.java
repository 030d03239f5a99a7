// SPDX-License-Identifier: Apache-2.0
package org.netserv.media;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The Java side of a run, with a host that plays the process. */
class TranscoderTest {
  private static final Overlay HOW =
      new Overlay(MediaFormat.MP4, MediaFormat.MPEG_TS, Corner.TOP_RIGHT, 16, 8, 2, 60);
  private static final Picture PICTURE = Picture.of(new byte[] {1, 2, 3});

  /** A process that copies its input to its output, and ends as the test says. */
  private static final class FakeDoor implements Door {
    private final int reason;
    private final int status;
    private final String words;
    private int[] numbers;
    private int runs;
    private boolean present = true;

    FakeDoor(int reason, int status, String words) {
      this.reason = reason;
      this.status = status;
      this.words = words;
    }

    @Override
    public boolean present() {
      return present;
    }

    @Override
    public void go(int[] order, Exchange exchange, ByteBuffer picture, int[] results, byte[] tail) {
      runs++;
      numbers = order;
      assertEquals(3, picture.remaining());
      byte[] bytes = words.getBytes(StandardCharsets.ISO_8859_1);
      System.arraycopy(bytes, 0, tail, 0, bytes.length);
      results[TAIL] = bytes.length;
      results[STATUS] = status;
      results[REASON] = copies(exchange) ? reason : 7;
    }

    private static boolean copies(Exchange exchange) {
      for (int n = exchange.fill(); n >= 0; n = exchange.fill()) {
        exchange.output().put(0, exchange.input(), 0, n);
        if (!exchange.wanted() || !exchange.take(n)) {
          return false;
        }
      }
      return true;
    }
  }

  private static byte[] run(Transcoder transcoder, byte[] video, long most) throws IOException {
    ByteArrayOutputStream to = new ByteArrayOutputStream();
    transcoder.overlay(new ByteArrayInputStream(video), PICTURE, HOW, to, most);
    return to.toByteArray();
  }

  private static MediaRefusal refused(Transcoder transcoder) {
    return assertThrows(MediaException.class, () -> run(transcoder, new byte[10], 100)).refusal();
  }

  @Test
  void theBytesGoThroughAndTheNumbersAreThoseOfTheOrder() throws IOException {
    FakeDoor door = new FakeDoor(0, 0, "");
    byte[] video = new byte[300_000];
    new Random(1).nextBytes(video);
    assertArrayEquals(video, run(new Transcoder(door, true, () -> true), video, video.length));
    assertArrayEquals(new int[] {1, 60, 1, 2, 1, 16, 8, 2}, door.numbers);
  }

  @ParameterizedTest
  @CsvSource({
    "1,NOT_GRANTED",
    "2,ARGUMENTS",
    "3,BUSY",
    "4,NO_PROGRAM",
    "5,NOT_STARTED",
    "6,DEADLINE",
    "7,CANCELLED",
    "100,NO_ANSWER",
    "99,NO_ANSWER"
  })
  void eachReasonHasAName(int reason, MediaRefusal refusal) {
    assertEquals(refusal, refused(new Transcoder(new FakeDoor(reason, -1, ""), true, () -> true)));
  }

  @Test
  void anErrorOfTheProcessHasItsWordsAndNothingUnprintable() {
    FakeDoor door = new FakeDoor(0, 1, "moov atom\n\u0007not found\n");
    Transcoder transcoder = new Transcoder(door, true, () -> true);
    MediaException e = assertThrows(MediaException.class, () -> run(transcoder, new byte[10], 100));
    assertEquals(MediaRefusal.FAILED, e.refusal());
    assertEquals("failed: status 1: moov atom / ?not found", e.getMessage());
  }

  @Test
  void whoeverKilledItItWasKilled() {
    assertEquals(
        MediaRefusal.KILLED, refused(new Transcoder(new FakeDoor(0, 137, ""), true, () -> true)));
  }

  @Test
  void nothingRunsWithoutTheHeaderAHostOrAnOpenTranscoder() {
    FakeDoor door = new FakeDoor(0, 0, "");
    assertEquals(MediaRefusal.NOT_DECLARED, refused(new Transcoder(door, false, () -> true)));
    Transcoder closed = new Transcoder(door, true, () -> true);
    closed.close();
    assertEquals(MediaRefusal.CANCELLED, refused(closed));
    door.present = false;
    assertEquals(MediaRefusal.NO_HOST, refused(new Transcoder(door, true, () -> true)));
    assertEquals(0, door.runs);
    assertEquals(MediaRefusal.NO_HOST, refused(new Transcoder(new Natives(), true, () -> true)));
    assertEquals(MediaRefusal.NOT_DECLARED, refused(Transcoder.of(TranscoderTest.class)));
  }

  @Test
  void aResultThatIsTooLongIsNotWrittenFurther() {
    Transcoder transcoder = new Transcoder(new FakeDoor(0, 0, ""), true, () -> true);
    ByteArrayOutputStream to = new ByteArrayOutputStream();
    InputStream video = new ByteArrayInputStream(new byte[200_000]);
    MediaException e =
        assertThrows(
            MediaException.class, () -> transcoder.overlay(video, PICTURE, HOW, to, 100_000));
    assertEquals(MediaRefusal.TOO_LONG, e.refusal());
    assertTrue(to.size() <= 100_000);
  }

  @Test
  void aStoppedModuleIsNotWanted() {
    assertEquals(
        MediaRefusal.CANCELLED, refused(new Transcoder(new FakeDoor(0, 0, ""), true, () -> false)));
  }

  @Test
  void theStreamsOwnFailureIsTold() {
    InputStream broken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("gone");
          }

          @Override
          public int read(byte[] bytes, int from, int count) throws IOException {
            throw new IOException("gone");
          }
        };
    Transcoder transcoder = new Transcoder(new FakeDoor(0, 0, ""), true, () -> true);
    IOException e =
        assertThrows(
            IOException.class,
            () -> transcoder.overlay(broken, PICTURE, HOW, new ByteArrayOutputStream(), 100));
    assertEquals("gone", e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "-1,0,1,1",
    "8193,0,1,1",
    "0,8193,1,1",
    "0,0,0,1",
    "0,0,61,1",
    "0,0,1,0",
    "0,0,1,3601"
  })
  void valuesOutOfRangeAreRefused(int x, int y, int keyframe, int seconds) {
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new Overlay(
                MediaFormat.MP4, MediaFormat.MP4, Corner.TOP_LEFT, x, y, keyframe, seconds));
  }

  @Test
  void theHeaderIsAList() {
    assertTrue(Transcoder.declares("ffmpeg"));
    assertTrue(Transcoder.declares("other, FFmpeg"));
    assertFalse(Transcoder.declares("ffmpeg2"));
    assertFalse(Transcoder.declares(null));
  }
}
