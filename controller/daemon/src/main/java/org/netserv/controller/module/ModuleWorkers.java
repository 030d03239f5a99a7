// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import org.netserv.controller.container.Containers;
import org.netserv.controller.job.BundleStore;
import org.netserv.controller.job.Jobs;
import org.netserv.controller.spawner.Spawner;

/** The parts of the node that do the work of {@link Modules}. */
public record ModuleWorkers(Spawner spawner, Containers containers, Jobs jobs, BundleStore store) {}
