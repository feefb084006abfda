package dev.damask.spring;

import dev.damask.cases.EngineOptions;

/// Changes the options of the application's engine after the properties were applied. Declare it as
/// a bean; several are applied in their order.
@FunctionalInterface
public interface EngineOptionsCustomizer {
  /// Returns the options to use instead.
  EngineOptions customize(EngineOptions options);
}
