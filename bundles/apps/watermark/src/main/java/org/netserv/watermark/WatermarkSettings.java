// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.netserv.media.Corner;
import org.netserv.media.MediaFormat;
import org.netserv.media.Overlay;
import org.netserv.module.ModuleProperties;

/** The module's properties, checked. The README lists them. */
final class WatermarkSettings {
  private static final long MEBI = 1 << 20;
  private static final int DAY = 86_400;
  private static final String DIRECTORY = "watermark-videos";

  private final ModuleProperties properties;
  private final Path data;

  /**
   * Reads properties.
   *
   * @param data the publisher's data directory
   */
  WatermarkSettings(Map<String, ?> properties, Path data) {
    this.properties = new ModuleProperties(properties);
    this.data = data;
  }

  int port() {
    return properties.number("port", 80, 0, 0xffff);
  }

  int connections() {
    return properties.number("connections", 256, 1, 10_000);
  }

  int idleSeconds() {
    return properties.number("idle-seconds", 30, 1, 600);
  }

  Videos.Room room() {
    return new Videos.Room(
        data.resolve(DIRECTORY),
        MEBI * properties.number("store-mib", 32, 1, 1 << 20),
        properties.number("refresh-seconds", 1800, 1, DAY),
        properties.number("retry-seconds", 30, 1, DAY));
  }

  OverlayMaker.Plan plan() {
    return new OverlayMaker.Plan(
        address("origin", null),
        overlay(),
        properties.number("scale", 3, 1, 16),
        MEBI * properties.number("video-mib", 16, 1, 1 << 20));
  }

  private Overlay overlay() {
    return new Overlay(
        MediaFormat.MP4,
        MediaFormat.MP4,
        corner(),
        properties.number("x", 16, 0, 8192),
        properties.number("y", 16, 0, 8192),
        properties.number("keyframe-seconds", 2, 1, 60),
        properties.number("process-seconds", 120, 1, 3600));
  }

  private Corner corner() {
    String text =
        properties.choice("corner", "top-left", "top-right", "bottom-left", "bottom-right");
    return Corner.valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  URI weather() {
    return address("weather", "https://api.weather.gov/");
  }

  /** Returns latitude and longitude as the service wants them. */
  String place() {
    return degrees("latitude", 90) + "," + degrees("longitude", 180);
  }

  private String degrees(String name, int most) {
    String text = properties.text(name, "");
    if (!text.matches("-?[0-9]{1,3}(\\.[0-9]{1,4})?")
        || Math.abs(Double.parseDouble(text)) > most) {
      throw new IllegalArgumentException(
          name + ": not degrees between -" + most + " and " + most + ": " + text);
    }
    return text;
  }

  private URI address(String name, String absent) {
    String text = properties.text(name, absent);
    if (text == null) {
      throw new IllegalArgumentException(name + ": not given: http://HOST[:PORT]/");
    }
    try {
      URI uri = new URI(text);
      if (uri.getHost() != null
          && uri.getScheme().matches("https?")
          && uri.getUserInfo() == null
          && uri.getQuery() == null
          && uri.getPath().endsWith("/")) {
        return uri;
      }
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
    }
    throw new IllegalArgumentException(
        name + ": not http or https, a host, and a path with a slash at its end: " + text);
  }
}
