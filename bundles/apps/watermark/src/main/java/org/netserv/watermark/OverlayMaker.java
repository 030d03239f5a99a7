// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.netserv.media.MediaException;
import org.netserv.media.Overlay;
import org.netserv.media.Picture;

/**
 * Fetches a video from the publisher's web server and lays the weather over it. Whatever fails but
 * the video itself, the original is the result.
 */
final class OverlayMaker implements Maker {
  private static final System.Logger LOG = System.getLogger(OverlayMaker.class.getName());
  private static final int ORIGIN_MILLIS = 60_000;

  /** The part of a transcoder that is used. */
  interface Overlaying {
    void overlay(InputStream video, Picture picture, Overlay how, OutputStream to, long most)
        throws IOException;
  }

  /** The service that is asked for the weather. */
  interface Weather {
    WeatherReport ask() throws IOException;
  }

  /**
   * Settings of the work.
   *
   * @param most bytes of a video
   */
  record Plan(URI origin, Overlay overlay, int scale, long most) {}

  private final Plan plan;
  private final Weather weather;
  private final Overlaying transcoder;
  private final LongSupplier clock;
  private final Counts tally;

  OverlayMaker(
      Plan plan, Weather weather, Overlaying transcoder, LongSupplier clock, Counts tally) {
    this.plan = plan;
    this.weather = weather;
    this.transcoder = transcoder;
    this.clock = clock;
    this.tally = tally;
  }

  @Override
  public Video make(String path, Path directory) throws IOException {
    Path original = directory.resolve("original");
    Path made = directory.resolve("made");
    try (OutputStream to = Files.newOutputStream(original)) {
      Fetch.copy(
          plan.origin().resolve(path.substring(1)),
          plan.most(),
          new Deadline(clock, ORIGIN_MILLIS),
          to);
    }
    String omitted = overlay(path, original, made);
    Files.deleteIfExists(omitted.isEmpty() ? original : made);
    Path file = omitted.isEmpty() ? made : original;
    return new Video(file, Files.size(file), omitted);
  }

  /** Returns the reason for which there is no result, or an empty text. */
  private String overlay(String path, Path original, Path made) {
    Picture picture;
    try {
      picture = Picture.text(weather.ask().line(), plan.scale());
    } catch (IOException | IllegalArgumentException e) {
      LOG.log(System.Logger.Level.INFO, "{0} without text: weather: {1}", path, e.getMessage());
      tally.count(Why.OMITTED_WEATHER);
      return "weather";
    }
    try (InputStream from = new BufferedInputStream(Files.newInputStream(original));
        OutputStream to = Files.newOutputStream(made)) {
      transcoder.overlay(from, picture, plan.overlay(), to, plan.most());
    } catch (MediaException e) {
      return failed(path, e.refusal().text(), e);
    } catch (IOException e) {
      return failed(path, "disk", e);
    }
    tally.count(Why.MADE);
    return "";
  }

  private String failed(String path, String reason, IOException e) {
    LOG.log(System.Logger.Level.INFO, "{0} without text: {1}", path, e.getMessage());
    tally.count(Why.OMITTED_PROCESS);
    return reason;
  }
}
