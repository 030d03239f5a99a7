// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.netserv.packet.PktProcessor;
import org.osgi.framework.Bundle;
import org.osgi.framework.ServiceReference;
import org.osgi.service.component.runtime.ServiceComponentRuntime;
import org.osgi.service.component.runtime.dto.ComponentConfigurationDTO;
import org.osgi.service.component.runtime.dto.ComponentDescriptionDTO;

/**
 * Is a started module really at work? A bundle starts even when its components do not: they are
 * asked one by one, so that a module with a wrong property is refused and not reported as running.
 */
final class Components {
  private Components() {}

  /**
   * Why the module does not work; empty when it does.
   *
   * @param runtime empty if no module has had components yet
   * @param packets true when packets are to be sent its way: then it must offer a PktProcessor
   */
  static Optional<String> complaint(
      Optional<ServiceComponentRuntime> runtime, Bundle bundle, boolean packets) {
    StringBuilder waiting = new StringBuilder();
    for (ComponentDescriptionDTO component : components(runtime, bundle)) {
      Collection<ComponentConfigurationDTO> configurations =
          runtime.get().getComponentConfigurationDTOs(component);
      for (ComponentConfigurationDTO configuration : configurations) {
        if (configuration.state == ComponentConfigurationDTO.FAILED_ACTIVATION) {
          return Optional.of(component.name + ": " + firstLine(configuration.failure));
        }
        if (configuration.state != ComponentConfigurationDTO.ACTIVE
            && configuration.state != ComponentConfigurationDTO.SATISFIED) {
          waiting.append("; ").append(component.name).append(" is not satisfied");
        }
      }
    }
    return packets && !offersProcessor(bundle)
        ? Optional.of("it has filters but offers no PktProcessor service" + waiting)
        : Optional.empty();
  }

  private static Collection<ComponentDescriptionDTO> components(
      Optional<ServiceComponentRuntime> runtime, Bundle bundle) {
    return runtime.isEmpty() ? List.of() : runtime.get().getComponentDescriptionDTOs(bundle);
  }

  private static boolean offersProcessor(Bundle bundle) {
    ServiceReference<?>[] services = bundle.getRegisteredServices();
    if (services == null) {
      return false;
    }
    for (ServiceReference<?> service : services) {
      for (String type : (String[]) service.getProperty("objectClass")) {
        if (type.equals(PktProcessor.class.getName())) {
          return true;
        }
      }
    }
    return false;
  }

  /** The failure is a whole stack trace; its innermost cause says most. */
  private static String firstLine(String failure) {
    String text = failure == null ? "failed" : failure;
    int cause = text.lastIndexOf("Caused by: ");
    String from = cause < 0 ? text : text.substring(cause + "Caused by: ".length());
    int end = from.indexOf('\n');
    return (end < 0 ? from : from.substring(0, end)).strip();
  }
}
