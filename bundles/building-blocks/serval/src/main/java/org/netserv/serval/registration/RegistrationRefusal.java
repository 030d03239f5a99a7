// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

/** The outcome of a signed registration. Its number is on the wire. */
public enum RegistrationRefusal {
  OK(0, "taken"),
  LATE(1, "the challenge is not of the last two minutes, or of another address"),
  KEY(2, "no key of Ed25519 or P-256"),
  SIGNATURE(3, "a wrong signature"),
  NOT_OWNER(
      4, "the key is neither the serviceID's, nor an owner's of its prefix, nor a delegate's"),
  DELEGATION_ENDED(5, "the delegation has ended"),
  DELEGATION(6, "a delegation that its owner has not signed, or of another prefix"),
  UNKNOWN(7, "a refresh of a registration that is not there"),
  MAC(8, "a refresh with a wrong MAC"),
  REPLAYED(9, "a refresh that is not newer than the last one"),
  MOVED(10, "a refresh from another address: it takes a new challenge"),
  FULL(11, "as many registrations as the router keeps, in all or of an address"),
  OUTSIDE(12, "a prefix in which the router takes no signed registrations"),
  RULE(13, "the service table refuses the rule"),
  BUSY(14, "more signatures than the router verifies in a second, in all or of an address");

  private final int number;
  private final String text;

  RegistrationRefusal(int number, String text) {
    this.number = number;
    this.text = text;
  }

  /** Returns the outcome in words. */
  public String text() {
    return text;
  }

  /** Returns the number on the wire. */
  public int number() {
    return number;
  }

  /** Returns the outcome of a number, null if there is none. */
  static RegistrationRefusal of(int number) {
    for (RegistrationRefusal refusal : values()) {
      if (refusal.number == number) {
        return refusal;
      }
    }
    return null;
  }
}
