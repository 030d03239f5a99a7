// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.place;

/** A place on the earth, in degrees. */
public record Place(double latitude, double longitude) {
  private static final double EARTH_KM = 6371;

  /** Tells whether the degrees are of a place. */
  public boolean sound() {
    return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  }

  /** Returns the distance along the surface. */
  public double kilometres(Place other) {
    double north = Math.sin(Math.toRadians(other.latitude - latitude) / 2);
    double east = Math.sin(Math.toRadians(other.longitude - longitude) / 2);
    double narrow = Math.cos(Math.toRadians(latitude)) * Math.cos(Math.toRadians(other.latitude));
    double half = Math.sqrt(Math.min(1, north * north + narrow * east * east));
    return 2 * EARTH_KM * Math.asin(half);
  }
}
