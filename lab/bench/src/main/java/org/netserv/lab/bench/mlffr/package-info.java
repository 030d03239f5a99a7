// SPDX-License-Identifier: Apache-2.0
/**
 * The packet path at its limit: how many packets a second a router forwards without loss, and what
 * each costs. See docs/benchmarks.md.
 *
 * <pre>
 *   MlffrBench   all repetitions of all cells, then tables, chart and verdict
 *   Cell         a scene with a packet size and a number of processors
 *   Scene        what is put into the router: nothing, rules, a reader, a whole node with a module
 *   Stand        the testbed of one cell, made anew for each
 *   Prober       lab-mlffr, which sends and counts; a Trial is what it saw
 *   Search       of the highest rate without loss
 * </pre>
 */
package org.netserv.lab.bench.mlffr;
