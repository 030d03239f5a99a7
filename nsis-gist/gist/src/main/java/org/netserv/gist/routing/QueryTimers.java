// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

/**
 * The timers of a querier (RFC 5971 section 6.2). They share one entry of the wheel, so each is
 * only a time of the wheel here; 0 = the timer is not running.
 */
final class QueryTimers {
  /** Time without messages of the application after which the state is given up, ms. */
  private static final long LIFETIME = 120_000;

  private long retryAt;
  private long refreshAt;
  private long expiresAt;
  private long inactiveAt;
  private long heldUntil;
  private long lifetime = LIFETIME;

  // ---- No_Response

  void retry(long at) {
    retryAt = at;
  }

  boolean retryDue(long now) {
    return due(retryAt, now);
  }

  // ---- Refresh_QNode and the validity

  /** Starts anew, because a Response has come. */
  void answered(long refresh, long expiry) {
    retryAt = 0;
    heldUntil = 0;
    refreshAt = refresh;
    expiresAt = expiry;
  }

  void refreshBy(long latest) {
    refreshAt = Math.min(refreshAt, latest);
  }

  void stopRefresh() {
    refreshAt = 0;
  }

  void stopHandshake() {
    retryAt = 0;
    refreshAt = 0;
  }

  boolean refreshDue(long now) {
    return due(refreshAt, now);
  }

  boolean expired(long now) {
    return due(expiresAt, now);
  }

  // ---- Inactive_QNode

  void lifetime(long millis) {
    lifetime = millis;
  }

  void touch(long now) {
    inactiveAt = now + lifetime;
  }

  boolean inactive(long now) {
    return now >= inactiveAt;
  }

  // ---- the wait for a peer that is to be verified

  void hold(long until) {
    heldUntil = until;
  }

  void endHold() {
    heldUntil = 0;
  }

  boolean holds() {
    return heldUntil != 0;
  }

  boolean holdOver(long now) {
    return due(heldUntil, now);
  }

  /** Returns the time of the first timer that runs. */
  long first() {
    return Math.min(
        Math.min(inactiveAt, running(retryAt)),
        Math.min(running(refreshAt), Math.min(running(expiresAt), running(heldUntil))));
  }

  private static long running(long at) {
    return at == 0 ? Long.MAX_VALUE : at;
  }

  private static boolean due(long at, long now) {
    return at != 0 && now >= at;
  }
}
