// SPDX-License-Identifier: Apache-2.0
/** Messages along paths: one budget for all, and the publisher's client behind a port. */
package org.netserv.coverage.path;
