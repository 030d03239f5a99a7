// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.EntityTag;

/**
 * The metadata of a stored response, with everything that deciding its reuse needs calculated
 * beforehand.
 *
 * <pre>
 *   head:  status line  *field-line  empty line
 *          without Age, Content-Length, Content-Range and the fields that are not stored (3.1)
 * </pre>
 *
 * Immutable. The content, and how much of it is there, is its owner's. A 206 is stored as an
 * incomplete 200 (RFC 9111, 3.3). {@link StoredReader} makes these objects, also from a disk.
 */
public final class StoredResponse {
  private final byte[] head;
  private final byte[] key;
  private final Times times;
  private final Rules rules;
  private final Validators validators;
  private final int status;
  private final long length;
  private final boolean invalid;

  /**
   * Times of a response in milliseconds.
   *
   * @param date the value of Date, or the response time without one
   * @param ageSeconds the value of Age that came with the response
   * @param initial corrected_initial_age
   */
  record Times(long date, long ageSeconds, long requestTime, long responseTime, long initial) {}

  /**
   * The directives that decide reuse.
   *
   * @param lifetime milliseconds
   * @param whileRevalidate seconds of stale-while-revalidate, negative without it
   * @param ifError seconds of stale-if-error, negative without it
   */
  record Rules(
      Freshness.Source source,
      long lifetime,
      boolean noCache,
      boolean mustRevalidate,
      long whileRevalidate,
      long ifError) {}

  /**
   * Positions of the validators in the head; an empty range for none.
   *
   * @param modified the value of Last-Modified in seconds, or HttpDate.NONE
   */
  record Validators(int tag, int tagEnd, int date, int dateEnd, long modified) {}

  StoredResponse(
      byte[] head,
      byte[] key,
      int status,
      long length,
      Times times,
      Rules rules,
      Validators validators,
      boolean invalid) {
    this.head = head;
    this.key = key;
    this.status = status;
    this.length = length;
    this.times = times;
    this.rules = rules;
    this.validators = validators;
    this.invalid = invalid;
  }

  /** Returns the response with the length of its content, once that is known. */
  public StoredResponse withLength(long bytes) {
    return new StoredResponse(head, key, status, bytes, times, rules, validators, invalid);
  }

  /** Returns the response marked as invalid (4.4), so that it is validated before its next use. */
  public StoredResponse invalidated() {
    return new StoredResponse(head, key, status, length, times, rules, validators, true);
  }

  /** Tells whether the response was marked as invalid. */
  public boolean isInvalidated() {
    return invalid;
  }

  /** The head's octets, shared: never change them. */
  public byte[] head() {
    return head;
  }

  /** The secondary key, shared: never change it. Empty without Vary. */
  public byte[] key() {
    return key;
  }

  public int status() {
    return status;
  }

  /** The length of the whole content in bytes, or -1 if it is not known. */
  public long length() {
    return length;
  }

  /** The value of Date, or the response time without one. */
  public long date() {
    return times.date();
  }

  /** The value of Age with which the response came, in seconds. */
  public long ageSeconds() {
    return times.ageSeconds();
  }

  public long requestTime() {
    return times.requestTime();
  }

  public long responseTime() {
    return times.responseTime();
  }

  /** Calculates current_age (4.2.3). */
  public long age(long now) {
    return Age.current(times.initial(), times.responseTime(), now);
  }

  /** The freshness lifetime (4.2.1). */
  public long lifetime() {
    return rules.lifetime();
  }

  /** The information that the lifetime comes from. */
  public Freshness.Source source() {
    return rules.source();
  }

  /** Calculates the remaining lifetime, negative for a stale response. */
  public long remaining(long now) {
    return rules.lifetime() - age(now);
  }

  /** Tells whether the response is fresh (4.2). */
  public boolean isFresh(long now) {
    return rules.lifetime() > age(now);
  }

  /** Tells whether each use needs a validation: no-cache, or an invalidation. */
  public boolean needsValidation() {
    return invalid || rules.noCache();
  }

  /** Tells whether a directive forbids the use of the response while it is stale. */
  public boolean mustRevalidate() {
    return rules.mustRevalidate();
  }

  /** The seconds of stale-while-revalidate, negative without it. */
  long whileRevalidate() {
    return rules.whileRevalidate();
  }

  /** The seconds of stale-if-error, negative without it. */
  long ifError() {
    return rules.ifError();
  }

  public boolean hasTag() {
    return validators.tagEnd() > validators.tag();
  }

  /** Tells whether the response has an entity tag that is a strong validator. */
  public boolean hasStrongTag() {
    return hasTag() && !EntityTag.isWeak(head, validators.tag(), validators.tagEnd());
  }

  int tag() {
    return validators.tag();
  }

  int tagEnd() {
    return validators.tagEnd();
  }

  int modifiedStart() {
    return validators.date();
  }

  int modifiedEnd() {
    return validators.dateEnd();
  }

  /** The value of Last-Modified in seconds, or HttpDate.NONE. */
  public long modified() {
    return validators.modified();
  }

  public boolean hasModified() {
    return validators.dateEnd() > validators.date();
  }

  /** Tells whether Last-Modified is a strong validator: a second older than Date (8.8.2.2). */
  public boolean hasStrongModified() {
    return hasModified() && times.date() >= validators.modified() * 1000 + 1000;
  }

  /**
   * Tells whether the response has a validator by which parts are joined: a strong entity tag, or a
   * strong Last-Modified without any tag (RFC 9110, 13.1.5).
   */
  public boolean hasStrongValidator() {
    return hasTag() ? hasStrongTag() : hasStrongModified();
  }

  public boolean hasValidator() {
    return hasTag() || hasModified();
  }

  boolean sameTagWeakly(byte[] bytes, int start, int end) {
    return hasTag()
        && EntityTag.weak(head, validators.tag(), validators.tagEnd(), bytes, start, end);
  }

  boolean sameTagStrongly(byte[] bytes, int start, int end) {
    return hasTag()
        && EntityTag.strong(head, validators.tag(), validators.tagEnd(), bytes, start, end);
  }
}
