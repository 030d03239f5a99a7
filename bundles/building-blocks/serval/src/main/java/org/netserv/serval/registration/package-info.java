// SPDX-License-Identifier: Apache-2.0
/**
 * Signed registrations of services at a router, without I/O.
 *
 * <pre>
 *   RegistrationHost  -- ASK -->        RegistrationDesk
 *                     <- CHALLENGE --   stateless: a hash of the host's address
 *                     -- REGISTER -->   signed by the serviceID's key, by a prefix's owner, or by a
 *                                       delegate of the owner
 *                     <- ANSWER --      lifetime
 *                     -- REFRESH -->    MAC by a key that both have agreed on
 *                     <- ANSWER --
 * </pre>
 *
 * <p>The desk asks {@link Challenges} whether a REGISTER is fresh, {@link Rights} whether its key
 * may register the prefix, and {@link Signatures} whether it is signed. {@link HeldRegistrations}
 * has those that were taken. {@code docs/protocols/serval.md} has the messages.
 */
@Export
@Version("1.0.0")
package org.netserv.serval.registration;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
