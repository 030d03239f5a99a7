// SPDX-License-Identifier: Apache-2.0
/**
 * A log of records in files, for a cache that outlives its process. Knows nothing of HTTP. {@code
 * DiskLog} is the way in.
 */
package org.netserv.activecdn.disk;
