// SPDX-License-Identifier: Apache-2.0
/**
 * The packet path at its limit: the highest rate that a router forwards without loss, and the cost
 * of a packet. See docs/benchmarks.md.
 *
 * <pre>
 *   MlffrBench   all repetitions of all cells, then tables, chart and verdict
 *   Cell         a scene with a packet size and a number of processors
 *   Scene        the contents of the router: nothing, rules, a reader, a whole node with a module
 *   Stand        the testbed of one cell, made anew for each
 *   Prober       lab-mlffr, which sends and counts; a Trial is its result
 *   Search       searches for the highest rate without loss
 * </pre>
 */
package org.netserv.lab.bench.mlffr;
