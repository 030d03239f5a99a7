// SPDX-License-Identifier: Apache-2.0
/**
 * The NetServ Control Message (NCM): its model, its text and binary forms, its signatures and the
 * stack of answers that comes back. The wire formats are in {@code docs/protocols/ncm.md}.
 *
 * <p>Reading foreign bytes ends in an immutable object or in a checked exception. {@link
 * org.netserv.ncm.NcmException} is for messages and answers, and carries the status of the refusal
 * and the header. {@link org.netserv.values.BadValueException} is for single values. All types are
 * immutable and safe for use by any thread unless they say otherwise. Nothing here does I/O.
 */
package org.netserv.ncm;
