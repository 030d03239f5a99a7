/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_threads.h - has every thread of the process do what a thread can only do to itself, such as give up a right.
 *
 *     caller    acts itself --list /proc/self/task, signal the new ones, wait for their answers--> twice nobody new: 0
 *     thread    goes on with its work --NS_THREADS_SIGNAL: acts in the handler, answers--> goes on
 *
 * A thread inherits from the thread that starts it. So a thread that is in no list was started by one that had acted.
 */
#ifndef NS_THREADS_H
#define NS_THREADS_H

#define NS_THREADS_SIGNAL SIGRTMAX /* neither the C library nor HotSpot uses it */
#define NS_THREADS_MAX 512

/*
 * Runs `act` in every thread. It must be async-signal-safe, and returns 0 or an errno. A thread that has acted cannot
 * undo it: after a failure some threads have acted, and the process should end. One caller at a time.
 *
 * Returns 0, or -1 with errno: the first that `act` returned; ETIMEDOUT if a thread has not answered within `ms`,
 * because it blocks the signal or does not run; E2BIG with more than NS_THREADS_MAX threads.
 */
int ns_threads_act(int (*act)(const void *context), const void *context, unsigned ms);

#endif
