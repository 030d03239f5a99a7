// SPDX-License-Identifier: Apache-2.0
/** What {@code netserv bench} measures, on a real node in a testbed: {@code docs/benchmarks.md}. */
package org.netserv.lab.bench;
