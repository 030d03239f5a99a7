// SPDX-License-Identifier: Apache-2.0
/**
 * Content processing by ffmpeg, a process that the node starts beside the container's own. {@link
 * org.netserv.media.Transcoder} does the work, {@link org.netserv.media.Overlay} says how, {@link
 * org.netserv.media.Picture} is laid over the video.
 */
@Export
@Version("1.0.0")
package org.netserv.media;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
