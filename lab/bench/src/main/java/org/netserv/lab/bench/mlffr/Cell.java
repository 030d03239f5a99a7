// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

/**
 * One row of the table.
 *
 * @param name for {@code --only} and for goals
 * @param title for people
 * @param bytes of a frame, without its check sequence
 * @param cores 1: the router has a processor of its own; 2: its receiving thread also uses the
 *     sender's processor
 * @param ruled true if the row needs the rules that a node writes
 * @param guess packets a second at which the first search begins
 */
record Cell(
    String name, String title, int bytes, int cores, boolean ruled, int guess, Scene scene) {}
