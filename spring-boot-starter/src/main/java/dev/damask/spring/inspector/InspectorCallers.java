package dev.damask.spring.inspector;

import dev.damask.api.Caller;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/// Finds out who sends a request to the inspector and what they may do. A bean of this type
/// replaces the rules of `damask.inspector.authorities`, for example to limit users to workflows.
@FunctionalInterface
public interface InspectorCallers {
  /// Returns the caller; empty if the application does not know the sender, or the sender may not
  /// use the inspector.
  Optional<Caller> caller(HttpServletRequest request);
}
