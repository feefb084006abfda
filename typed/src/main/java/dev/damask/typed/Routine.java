package dev.damask.typed;

import dev.damask.value.Key;

/// The name, the argument and the result of a definition: `Routine.of("pay", ORDER, PAYMENT)`.
/// [Steps#call(Routine, Key)] runs it, [Steps#definition(Routine, Step...)] has its body.
///
/// The body starts with the argument alone and sees no other key of its caller.
///
/// @param name the name of the definition
/// @param input the key of the argument in the body
/// @param output the key that the body writes on every path
/// @param <I> the argument
/// @param <O> the result
public record Routine<I, O>(String name, Key<I> input, Key<O> output) {
  public Routine {
    if (name.isBlank()) {
      throw new IllegalArgumentException("a routine needs a name; it is that of its definition");
    }
    if (input.isView()) {
      throw new IllegalArgumentException(
          "routine %s: the argument is written to a key, not to the view '%s'"
              .formatted(name, input.name()));
    }
  }

  /// Returns the routine of a definition.
  public static <I, O> Routine<I, O> of(String name, Key<I> input, Key<O> output) {
    return new Routine<>(name, input, output);
  }
}
