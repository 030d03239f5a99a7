// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.media.Corner;

class WatermarkSettingsTest {
  private static final Map<String, String> LEAST =
      Map.of("origin", "http://192.0.2.10:8080/", "latitude", "40.8", "longitude", "-73.96");

  private static WatermarkSettings with(String name, String value) {
    Map<String, String> properties = new HashMap<>(LEAST);
    properties.put(name, value);
    return new WatermarkSettings(properties, Path.of("/data"));
  }

  @Test
  void whatIsNotSaidHasItsPreset() {
    WatermarkSettings settings = new WatermarkSettings(LEAST, Path.of("/data"));
    assertEquals(80, settings.port());
    assertEquals("https://api.weather.gov/", settings.weather().toString());
    assertEquals("40.8,-73.96", settings.place());
    assertEquals(Path.of("/data/watermark-videos"), settings.room().directory());
    assertEquals(Corner.TOP_LEFT, settings.plan().overlay().corner());
    assertEquals(16 << 20, settings.plan().most());
    assertEquals(Corner.BOTTOM_RIGHT, with("corner", "bottom-right").plan().overlay().corner());
  }

  @ParameterizedTest
  @CsvSource({
    "origin,",
    "origin,192.0.2.10:8080",
    "origin,ftp://192.0.2.10/",
    "origin,http://192.0.2.10",
    "origin,http://u@h/",
    "origin,http://h/?q",
    "weather,file:/etc/passwd",
    "latitude,91",
    "latitude,-90.1",
    "longitude,180.5",
    "longitude,1e2",
    "latitude,",
    "latitude,1.23456",
    "corner,middle",
    "scale,17",
    "process-seconds,3601",
    "video-mib,0",
    "port,65536"
  })
  void wrongValuesAreRefusedByName(String name, String value) {
    WatermarkSettings settings = with(name, value == null ? "" : value);
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> {
              settings.plan();
              settings.weather();
              settings.place();
              settings.port();
            });
    assertTrue(e.getMessage().startsWith(name), e.getMessage());
  }
}
