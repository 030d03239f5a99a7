// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import org.netserv.media.Corner;
import org.netserv.media.MediaException;
import org.netserv.media.MediaFormat;
import org.netserv.media.MediaRefusal;
import org.netserv.media.Overlay;
import org.netserv.media.Picture;
import org.netserv.media.Transcoder;

/**
 * Uses the node's ffmpeg in a way that is not its own:
 *
 * <pre>
 *   picture        draws a text, which needs no process
 *   run            has the process run; that it runs is the success, whatever it says
 *   playlist URL   gives it a playlist that names the URL, in the place of a video
 *   numbers N...   orders by numbers of its own, past the block
 * </pre>
 */
public final class MediaAsk extends Attempt {
  private static final int MOST = 1 << 20;
  private static final int NUMBERS = 8;

  @Override
  protected String attempt(String argument) throws Exception {
    String[] words = argument.split(" ", 2);
    return switch (words[0]) {
      case "picture" -> Picture.text("weather", 1).png().length + " bytes";
      case "run" -> run();
      case "playlist" -> playlist(words[1]);
      default -> numbers(words[1]);
    };
  }

  private static ByteArrayOutputStream overlay(byte[] video) throws IOException {
    ByteArrayOutputStream to = new ByteArrayOutputStream();
    try (Transcoder transcoder = Transcoder.of(MediaAsk.class)) {
      transcoder.overlay(
          new ByteArrayInputStream(video),
          Picture.text("weather", 1),
          new Overlay(MediaFormat.MP4, MediaFormat.MP4, Corner.TOP_LEFT, 0, 0, 1, 10),
          to,
          MOST);
    }
    return to;
  }

  private static String run() throws IOException {
    try {
      return overlay(new byte[64]).size() + " bytes";
    } catch (MediaException e) {
      if (e.refusal() == MediaRefusal.FAILED) {
        return "ran: " + e.getMessage();
      }
      throw new IllegalStateException(e.getMessage());
    }
  }

  private static String playlist(String url) throws IOException {
    String list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n" + url + "\n#EXT-X-ENDLIST\n";
    try {
      return overlay(list.getBytes(StandardCharsets.UTF_8)).size() + " bytes of it";
    } catch (MediaException e) {
      throw new IllegalStateException(e.getMessage());
    }
  }

  /** Orders without the checks of {@link Overlay}. The spawner has to check them again. */
  private static String numbers(String text) throws Exception {
    String[] words = text.split(" ");
    int[] numbers = new int[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
      numbers[i] = Integer.parseInt(words[i]);
    }
    int[] results = new int[3];
    Class<?> natives = Class.forName("org.netserv.media.Natives");
    Class<?> exchange = Class.forName("org.netserv.media.Exchange");
    Constructor<?> make = exchange.getDeclaredConstructors()[0];
    make.setAccessible(true);
    Object bytes =
        make.newInstance(
            new ByteArrayInputStream(new byte[64]),
            new ByteArrayOutputStream(),
            (long) MOST,
            (BooleanSupplier) () -> true);
    Constructor<?> door = natives.getDeclaredConstructor();
    door.setAccessible(true);
    Method go =
        natives.getDeclaredMethod(
            "go", int[].class, exchange, ByteBuffer.class, int[].class, byte[].class);
    go.setAccessible(true);
    try {
      go.invoke(
          door.newInstance(), numbers, bytes, ByteBuffer.allocateDirect(1), results, new byte[1024]);
    } catch (InvocationTargetException e) {
      throw (Exception) e.getCause();
    }
    if (results[0] != 0) {
      throw denied("refused for reason " + results[0]);
    }
    return "ran, status " + results[1];
  }
}
