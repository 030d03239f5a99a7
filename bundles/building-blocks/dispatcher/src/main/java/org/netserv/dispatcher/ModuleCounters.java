// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

/**
 * A module's counters since its start.
 *
 * @param quarantined taken out of the chain because it threw too often
 * @param reason of the quarantine, empty without one
 * @param packets shown to it
 * @param errors exceptions, null verdicts, and STOLEN without {@code steal}
 * @param last when it was shown its last packet, milliseconds since 1970; 0 = never
 */
public record ModuleCounters(
    String module,
    boolean quarantined,
    String reason,
    long packets,
    long pass,
    long drop,
    long changed,
    long stolen,
    long errors,
    long last) {}
