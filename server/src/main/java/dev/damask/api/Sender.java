package dev.damask.api;

import java.util.Map;
import java.util.Optional;

/// Who sends a request, as the server found out: from a token in its headers, or from the session
/// of the application that the server is a part of.
public interface Sender {
  /// Returns the caller; empty if it is unknown. It is asked again while a stream is open: the
  /// stream ends when it is empty.
  Optional<Caller> caller();

  /// Returns what a sender who is not known must do.
  String advice();

  /// Returns the value of `WWW-Authenticate` for such a sender; empty for none.
  String challenge();

  /// Returns the sender with the bearer token of a request's headers.
  static Sender bearer(Authenticator authenticator, Map<String, String> headers) {
    return new Bearer(authenticator, headers.getOrDefault("authorization", ""));
  }

  /// A sender with a bearer token.
  ///
  /// @param header the header `Authorization`; empty if there was none
  record Bearer(Authenticator authenticator, String header) implements Sender {
    private static final String SCHEME = "Bearer ";

    @Override
    public Optional<Caller> caller() {
      return header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
          ? authenticator.caller(header.substring(SCHEME.length()).strip())
          : Optional.empty();
    }

    @Override
    public String advice() {
      return header.isEmpty()
          ? "send the header 'Authorization: Bearer TOKEN'"
          : "the token is unknown or has ended";
    }

    @Override
    public String challenge() {
      return "Bearer realm=\"damask\"";
    }
  }
}
