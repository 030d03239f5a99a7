// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

/**
 * The life of an allocation as a table of state and event. An event that a state does not take
 * leaves everything as it was, and {@link #after} returns null.
 *
 * <pre>
 *               LIVE          UNREACHABLE    GONE
 *   REFRESH     LIVE          -              -
 *   MOVE        LIVE          LIVE           -       a Refresh with the ticket, from elsewhere
 *   LEG_KEPT    UNREACHABLE   UNREACHABLE    -       the connection ended; there is a ticket
 *   LEG_LOST    GONE          GONE           -       the connection ended; there is none
 *   DELETE      GONE          -              -       a Refresh with lifetime 0
 *   TIME_UP     GONE          GONE           -
 *   STOP        GONE          GONE           -       the module ends
 * </pre>
 */
enum AllocationState {
  LIVE,
  UNREACHABLE,
  GONE;

  /** Something that happens to an allocation. */
  enum Event {
    REFRESH(LIVE, null),
    MOVE(LIVE, LIVE),
    LEG_KEPT(UNREACHABLE, UNREACHABLE),
    LEG_LOST(GONE, GONE),
    DELETE(GONE, null),
    TIME_UP(GONE, GONE),
    STOP(GONE, GONE);

    private final AllocationState fromLive;
    private final AllocationState fromUnreachable;

    Event(AllocationState fromLive, AllocationState fromUnreachable) {
      this.fromLive = fromLive;
      this.fromUnreachable = fromUnreachable;
    }
  }

  /** Returns the state after an event, null if this state does not take it. */
  AllocationState after(Event event) {
    return switch (this) {
      case LIVE -> event.fromLive;
      case UNREACHABLE -> event.fromUnreachable;
      case GONE -> null;
    };
  }
}
