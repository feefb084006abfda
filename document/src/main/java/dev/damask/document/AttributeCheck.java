package dev.damask.document;

import dev.damask.check.Diagnostic;
import dev.damask.check.Diagnostic.Severity;
import dev.damask.check.KeyAccess.Writes;
import dev.damask.check.Nearest;
import dev.damask.expression.UnknownField;
import dev.damask.term.Alternative;
import dev.damask.term.Attribute;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// Checks the names that `attributes:` of a document read. An attribute is computed all the time
/// and has no value while a key is missing, so only a key that nothing writes is reported.
final class AttributeCheck {
  private final WorkflowDocument document;
  private final DocumentKeys keys;
  private final Set<String> written;
  private final boolean isDeclared;
  private boolean hasUnknownWriter;

  /// @param start the keys of the context that a case starts with
  /// @param isDeclared whether the schema of the input lists every key that a caller may pass
  AttributeCheck(
      WorkflowDocument document, DocumentKeys keys, Set<String> start, boolean isDeclared) {
    this.document = document;
    this.keys = keys;
    this.written = new TreeSet<>(start);
    this.isDeclared = isDeclared;
  }

  /// @param each shows every term of the document
  List<Diagnostic> run(Consumer<BiConsumer<TermPath, Term>> each) {
    List<Attribute> attributes = document.workflow().attributes();
    if (attributes.isEmpty()) {
      return List.of();
    }
    each.accept((_, term) -> collect(term));
    List<Diagnostic> found = new ArrayList<>();
    for (Attribute attribute : attributes) {
      for (String key : keys.valueReads(attribute.value()).keys()) {
        UnknownField field = keys.field(key);
        if (field != null) {
          found.add(unknown(attribute, field.owner() + "." + field.field(), field.known()));
        } else if (!written.contains(key)) {
          found.add(unknown(attribute, key, written));
        }
      }
    }
    return found;
  }

  private Diagnostic unknown(Attribute attribute, String key, Set<String> known) {
    String field = key.substring(key.lastIndexOf('.') + 1);
    String declare = isDeclared ? "" : "; or declare it under input";
    return new Diagnostic(
        isDeclared && !hasUnknownWriter ? Severity.ERROR : Severity.WARNING,
        "UNKNOWN_NAME",
        new TermPath(null, "attributes." + attribute.name()),
        "'%s' reads '%s', which neither the input nor a step writes"
            .formatted(attribute.value().text(), key),
        Nearest.hint(field, known) + declare);
  }

  private void collect(Term term) {
    switch (term) {
      case Term.Task task -> {
        Writes writes = keys.writes(task);
        written.addAll(writes.always());
        written.addAll(writes.sometimes());
        hasUnknownWriter |= writes.others();
      }
      case Term.Defer(var alternatives) ->
          hasUnknownWriter |= alternatives.stream().anyMatch(this::takesSignal);
      case Term.Emit(_, var payload) -> written.addAll(payload.keySet());
      case Term.Cancel cancel -> {
        if (cancel.options().handler() != null) {
          written.add("error");
        }
      }
      case Term.Mi(_, var policy, _) -> {
        written.addAll(Set.of("item", "index"));
        if (policy.collect() != null) {
          written.add(policy.collect() + "_all");
        }
      }
      case Term.Call call -> {
        if (call.result() != null) {
          written.add(call.result());
        }
        if (call.arguments() != null) {
          written.addAll(call.arguments().keySet());
        }
      }
      case Term.Seq _,
          Term.Par _,
          Term.Xor _,
          Term.Join _,
          Term.Loop _,
          Term.Kill _,
          Term.Graph _,
          Term.Processes _ -> {}
    }
  }

  /// Whether the payload of a signal, whose keys are not declared, enters the context.
  private boolean takesSignal(Alternative alternative) {
    return alternative instanceof Alternative.Take take
        && document.workflow().places().stream()
            .anyMatch(place -> place.external() && take.places().contains(place.name()));
  }
}
