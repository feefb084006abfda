package dev.damask.term;

import dev.damask.value.Context;
import java.util.List;
import java.util.function.Function;

/// What a workflow declares about the data of its cases besides its body. It is not part of the
/// program hash.
///
/// @param attributes the values under which cases can be found
/// @param input what is wrong with a context that a case is started with, one line each
/// @param output what is wrong with a context that a case completes with, one line each; a case
///   whose result has a problem fails
public record Declared(
    List<Attribute> attributes,
    Function<Context, List<String>> input,
    Function<Context, List<String>> output) {
  /// Declares nothing: every context is allowed.
  public static final Declared NOTHING = new Declared(List.of(), Declared::allow, Declared::allow);

  public Declared {
    attributes = List.copyOf(attributes);
  }

  private static List<String> allow(Context context) {
    return List.of();
  }

  Declared withAttributes(List<Attribute> all) {
    return new Declared(all, input, output);
  }
}
