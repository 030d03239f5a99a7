// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.util.function.LongSupplier;

/** Asks a service with the two calls of api.weather.gov for the weather of a place. */
final class WeatherService {
  private static final int MOST = 1 << 20; // bytes of an answer
  private static final int MILLIS = 5000; // for both calls

  private final URI base;
  private final String place;
  private final LongSupplier clock;

  /**
   * Sets up the questions.
   *
   * @param base address of the service, with a slash at its end
   * @param place latitude and longitude with a comma
   */
  WeatherService(URI base, String place, LongSupplier clock) {
    this.base = base;
    this.place = place;
    this.clock = clock;
  }

  /**
   * Returns the weather.
   *
   * @throws IOException if the service does not answer in time, or not in its form
   */
  WeatherReport ask() throws IOException {
    Deadline deadline = new Deadline(clock, MILLIS);
    String forecast = WeatherJson.forecast(get(base.resolve("points/" + place), deadline));
    return WeatherJson.report(get(Fetch.within(base, forecast), deadline));
  }

  private static byte[] get(URI from, Deadline deadline) throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    Fetch.copy(from, MOST, deadline, answer);
    return answer.toByteArray();
  }
}
