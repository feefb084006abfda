package dev.damask.term;

import dev.damask.value.Context;

/// A workflow whose cases take a value of one Java type and return one of another. A
/// [WorkflowDefinition] takes and returns contexts.
///
/// @param <I> the input of a case
/// @param <O> the result of a case
public interface Workflow<I, O> {
  /// The workflow as data. Always the same object.
  WorkflowDefinition definition();

  /// The name of the workflow.
  default String name() {
    return definition().name();
  }

  /// The context that a case with this input starts with. Throws `IllegalArgumentException` with
  /// the path of the part that cannot be encoded.
  Context encode(I input);

  /// The result of a case that completed with this context. Throws `IllegalArgumentException` with
  /// the path of the part that cannot be decoded.
  O decode(Context context);

  /// The payload of a signal as it is put on its place. Throws `IllegalArgumentException` as
  /// [#encode] does.
  <T> Context payload(Signal<T> signal, T value);
}
