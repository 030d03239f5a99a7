// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.LongSupplier;
import org.netserv.media.Transcoder;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/**
 * Serves a publisher's videos with the weather of a place in their corner. {@link
 * WatermarkSettings} reads the properties, which are set under the bundle's symbolic name. With new
 * properties the module starts anew.
 */
@Component(service = Watermark.class, immediate = true, configurationPid = Watermark.PID)
public final class Watermark {
  /** Name of the configuration. */
  public static final String PID = "NetServ.apps.Watermark";

  private static final System.Logger LOG = System.getLogger(Watermark.class.getName());

  /** The property of the virtual machine that names the publisher's data directory. */
  private static final String DATA = "user.home";

  private final Counts tally = new Counts();
  private final Transcoder transcoder = Transcoder.of(Watermark.class);
  private final Videos videos;
  private final VideoServer server;

  /**
   * Starts the module.
   *
   * @throws IllegalArgumentException naming the property that is wrong
   * @throws IOException if the port cannot be had, or the directory of videos
   */
  @Activate
  public Watermark(Map<String, Object> properties) throws IOException {
    WatermarkSettings settings =
        new WatermarkSettings(properties, Path.of(System.getProperty(DATA)));
    LongSupplier clock = System::nanoTime;
    WeatherService weather = new WeatherService(settings.weather(), settings.place(), clock);
    OverlayMaker maker =
        new OverlayMaker(settings.plan(), weather::ask, transcoder::overlay, clock, tally);
    videos = new Videos(settings.room(), maker, clock, tally);
    try {
      server =
          new VideoServer(
              settings.port(), settings.connections(), settings.idleSeconds(), videos, tally);
    } catch (IOException e) {
      videos.close();
      throw e;
    }
  }

  /** Stops. The process that is under way ends, and responses on their way are cut. */
  @Deactivate
  public void deactivate() {
    transcoder.close();
    videos.close();
    server.close();
    LOG.log(System.Logger.Level.INFO, "served until now: {0}", tally.snapshot());
  }

  /** The port that the module listens on. */
  int port() {
    return server.port();
  }
}
