package dev.damask.effect;

import dev.damask.event.Failure;

/// Thrown by a handler to state that nothing reached the external system: no connection was made,
/// or the request was refused before it was read. The attempt fails with the reason `not_sent`, and
/// only such an attempt of an at-most-once effect is tried again (`retry: {max: 3, on: notSent}`,
/// or [dev.damask.term.Flow#ifNotSent]).
public final class EffectNotSent extends EffectException {
  private static final long serialVersionUID = 1L;

  public EffectNotSent(String detail) {
    super(Failure.NOT_SENT, detail);
  }
}
