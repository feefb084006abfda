package dev.damask.step;

import dev.damask.value.Context;
import java.util.List;
import java.util.Map;

/// The secrets of the sessions that steps belong to.
public interface SecretSource {
  /// No session has secrets.
  SecretSource NONE =
      new SecretSource() {
        @Override
        public Map<String, String> of(Context common) {
          return Map.of();
        }

        @Override
        public List<String> missing(Context common) {
          return List.of();
        }
      };

  /// Returns the secrets of a session by name.
  ///
  /// @param common the engine's keys in the context of the case
  Map<String, String> of(Context common);

  /// Returns the names of the secrets that a session was started with and that were not provided
  /// since the last restart.
  ///
  /// @param common the engine's keys in the context of the case
  List<String> missing(Context common);
}
