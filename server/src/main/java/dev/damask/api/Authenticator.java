package dev.damask.api;

import java.util.Optional;

/// Finds out who sends a request.
public interface Authenticator {
  /// Knows no token and no code: of a server whose senders are those of an application.
  Authenticator NONE =
      new Authenticator() {
        @Override
        public Optional<Caller> caller(String token) {
          return Optional.empty();
        }

        @Override
        public Optional<Session> exchange(String code) {
          return Optional.empty();
        }
      };

  /// Returns the holder of a token; empty if the token is unknown or has ended.
  Optional<Caller> caller(String token);

  /// Exchanges a one-time code for a token; empty if the code is unknown, used or too old.
  Optional<Session> exchange(String code);

  /// Creates a code that [#exchange] accepts once; empty if there are no codes.
  default Optional<String> newCode() {
    return Optional.empty();
  }

  /// A token that was issued for a code.
  record Session(String token, Caller caller) {}
}
