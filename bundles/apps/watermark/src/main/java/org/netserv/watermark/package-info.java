// SPDX-License-Identifier: Apache-2.0
/**
 * A publisher's videos with the weather of a place in their corner, made at the edge. {@link
 * org.netserv.watermark.Watermark} is the module.
 */
package org.netserv.watermark;
