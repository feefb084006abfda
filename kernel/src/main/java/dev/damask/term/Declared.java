package dev.damask.term;

import dev.damask.value.Context;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/// What a workflow declares about the data of its cases besides its body. It is not part of the
/// program hash.
///
/// @param attributes the values under which cases can be found
/// @param input what is wrong with a context that a case is started with, one line each
/// @param output what is wrong with a context that a case completes with, one line each; a case
///   whose result has a problem fails
/// @param inputKeys the keys that the input declares, for people
/// @param outputKeys the keys that the result declares, for people
/// @param redacted the keys whose values are hidden from callers that may not see them
/// @param isDescription whether the workflow was read from its description and does not contain its
///   code
/// @param payloads what is wrong with the payload of a signal, by its place; places without an
///   entry accept every payload
/// @param signatures the types that stored data of cases must fit, beside those of effects: of
///   tasks by their name, and of the parts of types, such as `record shop.Order.price`
public record Declared(
    List<Attribute> attributes,
    Function<Context, List<String>> input,
    Function<Context, List<String>> output,
    List<String> inputKeys,
    List<String> outputKeys,
    List<String> redacted,
    boolean isDescription,
    Map<String, Function<Context, List<String>>> payloads,
    Map<String, String> signatures) {
  /// Declares nothing: every context is allowed.
  public static final Declared NOTHING = new Declared(List.of(), Declared::allow, Declared::allow);

  public Declared {
    attributes = List.copyOf(attributes);
    inputKeys = List.copyOf(inputKeys);
    outputKeys = List.copyOf(outputKeys);
    redacted = List.copyOf(redacted);
    payloads = Collections.unmodifiableMap(new TreeMap<>(payloads));
    signatures = Collections.unmodifiableMap(new TreeMap<>(signatures));
  }

  /// Declares no keys.
  public Declared(
      List<Attribute> attributes,
      Function<Context, List<String>> input,
      Function<Context, List<String>> output) {
    this(attributes, input, output, List.of(), List.of());
  }

  /// Redacts no keys.
  public Declared(
      List<Attribute> attributes,
      Function<Context, List<String>> input,
      Function<Context, List<String>> output,
      List<String> inputKeys,
      List<String> outputKeys) {
    this(attributes, input, output, inputKeys, outputKeys, List.of());
  }

  /// Declares for a workflow with its code.
  public Declared(
      List<Attribute> attributes,
      Function<Context, List<String>> input,
      Function<Context, List<String>> output,
      List<String> inputKeys,
      List<String> outputKeys,
      List<String> redacted) {
    this(
        attributes,
        input,
        output,
        inputKeys,
        outputKeys,
        redacted,
        false,
        new TreeMap<>(),
        new TreeMap<>());
  }

  private static List<String> allow(Context context) {
    return List.of();
  }

  /// Returns this declaration with keys whose values are hidden from callers that may not see them.
  public Declared withRedacted(String... keys) {
    return new Declared(
        attributes,
        input,
        output,
        inputKeys,
        outputKeys,
        List.of(keys),
        isDescription,
        payloads,
        signatures);
  }

  Declared withAttributes(List<Attribute> all) {
    return new Declared(
        all, input, output, inputKeys, outputKeys, redacted, isDescription, payloads, signatures);
  }

  /// Returns this declaration for a workflow that does not contain its code.
  public Declared asDescription() {
    return new Declared(
        attributes, input, output, inputKeys, outputKeys, redacted, true, payloads, signatures);
  }
}
