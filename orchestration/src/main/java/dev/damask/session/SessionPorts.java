package dev.damask.session;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.http.HttpEffect;
import dev.damask.http.HttpOptions;
import dev.damask.step.Lowering;
import org.jspecify.annotations.Nullable;

/// What test plans replace of the surroundings of sessions.
///
/// @param client sends the API calls of rules
/// @param attempts of a read, a call or an execution, the first one included
/// @param observer is notified of every evaluation that begins
public record SessionPorts(Client client, int attempts, StepObserver observer) {
  static final SessionPorts REAL =
      new SessionPorts(
          (request, options) -> new HttpEffect(options).call(request).get("body"),
          Lowering.ATTEMPTS,
          StepObserver.NONE);

  /// Sends API calls.
  @FunctionalInterface
  public interface Client {
    /// Sends a request and returns the body of the response.
    @Nullable Object body(EffectCall request, HttpOptions options)
        throws EffectException, InterruptedException;
  }
}
