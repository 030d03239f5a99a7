// SPDX-License-Identifier: Apache-2.0
package org.netserv.media;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import org.osgi.framework.Bundle;
import org.osgi.framework.FrameworkUtil;

/**
 * Has the node's ffmpeg lay pictures over videos. The module's manifest says {@code
 * NetServ-Process: ffmpeg}, and the publisher's policy has {@code process: [ffmpeg]}. A container
 * has one such process at a time. The process ends with the run, with the module's stop, and with
 * the container.
 */
public final class Transcoder implements AutoCloseable {
  /** Name of the header that a module's manifest needs. */
  public static final String HEADER = "NetServ-Process";

  private static final String FFMPEG = "ffmpeg";
  private static final int SIGNALLED = 128;

  private final Door door;
  private final boolean declared;
  private final BooleanSupplier runs;
  private volatile boolean closed;

  Transcoder(Door door, boolean declared, BooleanSupplier runs) {
    this.door = door;
    this.declared = declared;
    this.runs = runs;
  }

  /**
   * Makes the transcoder of a module.
   *
   * @param owner a class of the module
   */
  public static Transcoder of(Class<?> owner) {
    Bundle bundle = FrameworkUtil.getBundle(owner);
    if (bundle == null) {
      return new Transcoder(new Natives(), false, () -> true);
    }
    return new Transcoder(
        new Natives(), declares(bundle.getHeaders().get(HEADER)), () -> runs(bundle));
  }

  /** Reads the value of the header, a list with commas. */
  static boolean declares(String header) {
    return header != null
        && List.of(header.toLowerCase(Locale.ROOT).split("[\\s,]+", -1)).contains(FFMPEG);
  }

  private static boolean runs(Bundle bundle) {
    return (bundle.getState() & (Bundle.STARTING | Bundle.ACTIVE)) != 0;
  }

  /**
   * Lays a picture over a video. The call returns when the whole result is written. It reads and
   * writes on this thread, and closes neither stream. An interrupt ends it.
   *
   * @param most bytes of the result
   * @throws MediaException if there is no result; a part of it may be written
   * @throws IOException of the streams
   */
  public void overlay(InputStream video, Picture picture, Overlay how, OutputStream to, long most)
      throws IOException {
    if (!declared) {
      throw new MediaException(MediaRefusal.NOT_DECLARED, "");
    }
    if (closed) {
      throw new MediaException(MediaRefusal.CANCELLED, "");
    }
    if (!door.present()) {
      throw new MediaException(MediaRefusal.NO_HOST, "");
    }
    Exchange exchange = new Exchange(video, to, most, () -> !closed && runs.getAsBoolean());
    int[] results = new int[Door.RESULTS];
    byte[] tail = new byte[Door.TAIL_MOST];
    try {
      door.go(how.numbers(), exchange, picture.direct(), results, tail);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    judge(results, Arrays.copyOf(tail, results[Door.TAIL]), exchange);
  }

  private static void judge(int[] results, byte[] tail, Exchange exchange) throws MediaException {
    int status = results[Door.STATUS];
    if (exchange.tooLong()) {
      throw new MediaException(MediaRefusal.TOO_LONG, exchange.taken() + " bytes and more");
    }
    if (results[Door.REASON] != 0) {
      throw new MediaException(MediaRefusal.of(results[Door.REASON]), "");
    }
    if (status > SIGNALLED) {
      throw new MediaException(MediaRefusal.KILLED, "signal " + (status - SIGNALLED));
    }
    if (status != 0) {
      throw new MediaException(MediaRefusal.FAILED, "status " + status + ": " + words(tail));
    }
  }

  /** Returns the last words of the process, with what is not printable as {@code ?}. */
  private static String words(byte[] tail) {
    String text = new String(tail, StandardCharsets.ISO_8859_1).strip();
    return text.replaceAll("\\R", " / ").replaceAll("[^ -~]", "?");
  }

  /** Ends the run that is under way, and refuses all later ones as cancelled. */
  @Override
  public void close() {
    closed = true;
  }
}
