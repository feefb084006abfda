package dev.damask.term;

import dev.damask.value.Context;
import java.util.List;

/// A complete workflow: a body and everything it refers to.
///
/// @param version for people; the identity of a program is the hash of its compiled form
/// @param context the initial context; the caller's context overrides its keys
/// @param declared the attributes of cases, and what their input and result must be
public record WorkflowDefinition(
    String name,
    String version,
    String description,
    Mode mode,
    Context context,
    List<Place> places,
    List<Definition> definitions,
    Limits limits,
    Term body,
    Declared declared)
    implements Workflow<Context, Context> {
  public WorkflowDefinition {
    Names.require("workflow", name);
    places = List.copyOf(places);
    definitions = List.copyOf(definitions);
    requireDistinct("place", places.stream().map(Place::name).toList());
    requireDistinct("definition", definitions.stream().map(Definition::name).toList());
    requireDistinct("attribute", declared.attributes().stream().map(Attribute::name).toList());
  }

  /// Creates a workflow without attributes.
  public WorkflowDefinition(
      String name,
      String version,
      String description,
      Mode mode,
      Context context,
      List<Place> places,
      List<Definition> definitions,
      Limits limits,
      Term body) {
    this(
        name,
        version,
        description,
        mode,
        context,
        places,
        definitions,
        limits,
        body,
        Declared.NOTHING);
  }

  private static void requireDistinct(String what, List<String> names) {
    List<String> sorted = names.stream().sorted().toList();
    for (int i = 1; i < sorted.size(); i++) {
      if (sorted.get(i).equals(sorted.get(i - 1))) {
        throw new IllegalArgumentException("two " + what + "s are named '" + sorted.get(i) + "'");
      }
    }
  }

  @Override
  public WorkflowDefinition definition() {
    return this;
  }

  @Override
  public Context encode(Context input) {
    return input;
  }

  @Override
  public Context decode(Context result) {
    return result;
  }

  /// A context is the payload itself; any other value is one entry under the key of the payload.
  @Override
  public <T> Context payload(Signal<T> signal, T value) {
    return value instanceof Context context ? context : Context.of(signal.payload().name(), value);
  }

  /// Returns this workflow under another name.
  public WorkflowDefinition withName(String changed) {
    return new WorkflowDefinition(
        changed, version, description, mode, context, places, definitions, limits, body, declared);
  }

  /// Returns this workflow with another mode of ending.
  public WorkflowDefinition withMode(Mode changed) {
    return new WorkflowDefinition(
        name, version, description, changed, context, places, definitions, limits, body, declared);
  }

  /// Returns this workflow with more places; a place replaces an existing one of its name.
  public WorkflowDefinition withPlaces(Place... more) {
    List<Place> all = new java.util.ArrayList<>(List.of(more));
    List<String> replaced = all.stream().map(Place::name).toList();
    places.stream().filter(place -> !replaced.contains(place.name())).forEach(all::add);
    return new WorkflowDefinition(
        name, version, description, mode, context, all, definitions, limits, body, declared);
  }

  /// Returns this workflow with other definitions.
  public WorkflowDefinition withDefinitions(Definition... all) {
    return new WorkflowDefinition(
        name, version, description, mode, context, places, List.of(all), limits, body, declared);
  }

  /// Returns this workflow with another initial context.
  public WorkflowDefinition withContext(Context changed) {
    return new WorkflowDefinition(
        name, version, description, mode, changed, places, definitions, limits, body, declared);
  }

  /// Returns this workflow with other limits.
  public WorkflowDefinition withLimits(Limits changed) {
    return new WorkflowDefinition(
        name, version, description, mode, context, places, definitions, changed, body, declared);
  }

  /// The values under which cases can be found.
  public List<Attribute> attributes() {
    return declared.attributes();
  }

  /// Returns this workflow with other declarations.
  public WorkflowDefinition withDeclared(Declared other) {
    return new WorkflowDefinition(
        name, version, description, mode, context, places, definitions, limits, body, other);
  }

  /// Returns this workflow with other attributes.
  public WorkflowDefinition withAttributes(List<Attribute> all) {
    return new WorkflowDefinition(
        name,
        version,
        description,
        mode,
        context,
        places,
        definitions,
        limits,
        body,
        declared.withAttributes(all));
  }
}
