package dev.damask.caller;

import dev.damask.effect.Traceparent;
import java.util.Optional;

/// What a caller adds to a signal.
///
/// @param messageId makes the signal idempotent: a message id that the case has consumed before
///   changes nothing and gets the reply it got then
/// @param traceparent the tracing context that effects which start from now on continue; it
///   replaces the one that the case had
public record SignalOptions(Optional<String> messageId, Optional<String> traceparent) {
  /// Nothing.
  public static final SignalOptions NONE = new SignalOptions(Optional.empty(), Optional.empty());

  public SignalOptions {
    traceparent.ifPresent(Traceparent::require);
  }

  /// Returns these options with a message id.
  public SignalOptions withMessageId(String value) {
    return new SignalOptions(Optional.of(value), traceparent);
  }

  /// Returns these options with a tracing context. Throws `IllegalArgumentException` if it is not a
  /// W3C traceparent.
  public SignalOptions withTraceparent(String value) {
    return new SignalOptions(messageId, Optional.of(value));
  }
}
