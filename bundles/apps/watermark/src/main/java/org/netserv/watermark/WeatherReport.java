// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

/**
 * The weather of a place.
 *
 * @param unit F or C
 * @param forecast a few words
 */
record WeatherReport(int temperature, String unit, String forecast) {
  private static final int LEAST = -99;
  private static final int MOST = 199;
  private static final int WORDS = 40; // characters

  WeatherReport {
    if (temperature < LEAST || temperature > MOST || !unit.matches("[FC]") || forecast.isBlank()) {
      throw new IllegalArgumentException("no weather");
    }
    forecast = forecast.replaceAll("[^ -~]", " ").strip();
    forecast = forecast.substring(0, Math.min(WORDS, forecast.length()));
  }

  /** Returns the line for the video, such as {@code 72°F Partly Sunny}. */
  String line() {
    return temperature + "\u00b0" + unit + " " + forecast;
  }
}
