// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WeatherJsonTest {
  private static final String POINT =
      "{\"type\":\"Feature\",\"geometry\":{\"coordinates\":[-73.9,[40.8]]},"
          + "\"properties\":{\"gridX\":34,\"forecast\":\"http://w/f\",\"x\":{\"forecast\":1}}}";
  private static final String FORECAST =
      "{\"properties\":{\"units\":\"us\",\"periods\":["
          + "{\"number\":1,\"temperature\":72,\"temperatureUnit\":\"F\",\"value\":{\"a\":[1]},"
          + "\"shortForecast\":\"Partly Sunny\"},{\"temperature\":1}]}}";

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void theTwoAnswersAreRead() throws IOException {
    assertEquals("http://w/f", WeatherJson.forecast(bytes(POINT)));
    assertEquals("72\u00b0F Partly Sunny", WeatherJson.report(bytes(FORECAST)).line());
  }

  /** A cut answer is an IOException, unless all that is wanted stood before the cut. */
  @Test
  void anAnswerCutAtAnyLengthIsRefusedOrWhole() {
    byte[] point = bytes(POINT);
    byte[] forecast = bytes(FORECAST);
    for (int length = 0; length < point.length; length++) {
      byte[] cut = Arrays.copyOf(point, length);
      assertTrue(outcome(() -> WeatherJson.forecast(cut)).matches("refused|http://w/f"));
    }
    for (int length = 0; length < forecast.length; length++) {
      byte[] cut = Arrays.copyOf(forecast, length);
      assertTrue(
          outcome(() -> WeatherJson.report(cut).line()).matches("refused|72\u00b0F Partly Sunny"));
    }
  }

  @Test
  void anyBytesAreReadOrRefused() {
    Random random = new Random(20261127);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = bytes(i % 2 == 0 ? POINT : FORECAST);
      for (int n = random.nextInt(4); n >= 0; n--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      assertTrue(!outcome(() -> WeatherJson.forecast(bytes)).isEmpty() || i % 2 == 0);
      assertTrue(!outcome(() -> WeatherJson.report(bytes).line()).isEmpty());
    }
  }

  /** Reads a text that may be refused by an IOException, and by no other exception. */
  private interface Reading {
    String read() throws IOException;
  }

  private static String outcome(Reading reading) {
    try {
      return reading.read();
    } catch (IOException e) {
      return "refused";
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{}",
        "{\"properties\":1}",
        "{\"properties\":{}}",
        "{\"properties\":{\"periods\":{}}}",
        "{\"properties\":{\"periods\":[]}}",
        "{\"properties\":{\"periods\":[1]}}",
        "{\"properties\":{\"periods\":[{\"temperature\":null}]}}",
        "{\"properties\":{\"periods\":[{\"temperature\":70,\"temperatureUnit\":\"F\"}]}}",
        "{\"properties\":{\"periods\":[{\"temperature\":7000,\"temperatureUnit\":\"F\","
            + "\"shortForecast\":\"x\"}]}}",
        "{\"properties\":{\"periods\":[{\"temperature\":99999999999,\"temperatureUnit\":\"F\","
            + "\"shortForecast\":\"x\"}]}}",
        "{\"properties\":{\"periods\":[{\"temperature\":70,\"temperatureUnit\":\"K\","
            + "\"shortForecast\":\"x\"}]}}"
      })
  void otherFormsAreRefused(String text) {
    assertThrows(IOException.class, () -> WeatherJson.report(bytes(text)));
  }

  @Test
  void whatIsDeepLongOrLargeIsRefused() {
    String deep = "{\"a\":" + "[".repeat(100) + "]".repeat(100) + "," + POINT.substring(1);
    assertThrows(IOException.class, () -> WeatherJson.forecast(bytes(deep)));
    String name = "{\"" + "a".repeat(1000) + "\":1," + POINT.substring(1);
    assertThrows(IOException.class, () -> WeatherJson.forecast(bytes(name)));
    String text = POINT.replace("http://w/f", "x".repeat(20_000));
    assertThrows(IOException.class, () -> WeatherJson.forecast(bytes(text)));
  }

  @Test
  void aForecastIsCutAndPrintable() {
    WeatherReport report = new WeatherReport(-5, "C", "Snow\n\u2603 " + "x".repeat(100));
    assertEquals("-5\u00b0C Snow   " + "x".repeat(33), report.line());
  }
}
