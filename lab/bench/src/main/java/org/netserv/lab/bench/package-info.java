// SPDX-License-Identifier: Apache-2.0
/**
 * The measurements of {@code netserv bench} on a real node in a testbed: {@code
 * docs/benchmarks.md}.
 */
package org.netserv.lab.bench;
