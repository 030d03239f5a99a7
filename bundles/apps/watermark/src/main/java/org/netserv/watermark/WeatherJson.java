// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;

/**
 * Reads the two answers of api.weather.gov: {@code properties.forecast} of a point, and {@code
 * properties.periods[0]} of a forecast. Keeps these values alone, and reads past all others.
 */
final class WeatherJson {
  private static final int NUMBER = 16; // characters
  private static final int NESTING = 32;
  private static final int NAME = 128;
  private static final int TEXT = 8192;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(NESTING)
                  .maxNameLength(NAME)
                  .maxNumberLength(NUMBER)
                  .maxStringLength(TEXT)
                  .build())
          .build();

  private WeatherJson() {}

  /** Returns the address of the forecast of a point. */
  static String forecast(byte[] answer) throws IOException {
    try (JsonParser json = FACTORY.createParser(answer)) {
      json.nextToken();
      enter(json, "properties");
      enter(json, "forecast");
      need(json, JsonToken.VALUE_STRING);
      return json.getText();
    }
  }

  /** Returns the weather of the first period. */
  static WeatherReport report(byte[] answer) throws IOException {
    try (JsonParser json = FACTORY.createParser(answer)) {
      json.nextToken();
      enter(json, "properties");
      enter(json, "periods");
      need(json, JsonToken.START_ARRAY);
      json.nextToken();
      return period(json);
    }
  }

  private static WeatherReport period(JsonParser json) throws IOException {
    Integer temperature = null;
    String unit = "";
    String forecast = "";
    need(json, JsonToken.START_OBJECT);
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      JsonToken value = json.nextToken();
      if (name.equals("temperature") && value == JsonToken.VALUE_NUMBER_INT) {
        temperature = json.getIntValue();
      } else if (name.equals("temperatureUnit") && value == JsonToken.VALUE_STRING) {
        unit = json.getText();
      } else if (name.equals("shortForecast") && value == JsonToken.VALUE_STRING) {
        forecast = json.getText();
      } else {
        json.skipChildren();
      }
    }
    try {
      return new WeatherReport(
          temperature == null ? Integer.MIN_VALUE : temperature, unit, forecast);
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Moves from an object to the value of its member. */
  private static void enter(JsonParser json, String member) throws IOException {
    need(json, JsonToken.START_OBJECT);
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      boolean found = json.currentName().equals(member);
      json.nextToken();
      if (found) {
        return;
      }
      json.skipChildren();
    }
    throw new IOException("no " + member);
  }

  private static void need(JsonParser json, JsonToken token) throws IOException {
    if (json.currentToken() != token) {
      throw new IOException("not of the form of a weather service");
    }
  }
}
