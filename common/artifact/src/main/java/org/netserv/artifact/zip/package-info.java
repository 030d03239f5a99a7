// SPDX-License-Identifier: Apache-2.0

/** ZIP files with exactly one reading, and their writer. */
package org.netserv.artifact.zip;
