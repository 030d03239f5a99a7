// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.place;

import com.maxmind.db.MaxMindDbConstructor;
import com.maxmind.db.MaxMindDbParameter;

/**
 * The part of a city database's entry that has the place. MaxMind's reader makes it, so it is
 * public.
 *
 * @param location null = not known
 */
public record City(Location location) {
  @MaxMindDbConstructor
  public City(@MaxMindDbParameter(name = "location") Location location) {
    this.location = location;
  }

  /** Degrees; null = not known. */
  public record Location(Double latitude, Double longitude) {
    @MaxMindDbConstructor
    public Location(
        @MaxMindDbParameter(name = "latitude") Double latitude,
        @MaxMindDbParameter(name = "longitude") Double longitude) {
      this.latitude = latitude;
      this.longitude = longitude;
    }
  }

  /** Returns the place; null = not known. */
  Place place() {
    if (location == null || location.latitude == null || location.longitude == null) {
      return null;
    }
    Place place = new Place(location.latitude, location.longitude);
    return place.sound() ? place : null;
  }
}
