// SPDX-License-Identifier: Apache-2.0
/** Reasons to refuse a bundle, and bounds on the cost of reading a bundle. */
package org.netserv.artifact.refusal;
