package dev.damask.api;

import dev.damask.cases.Engine;
import dev.damask.document.LoadedDocument;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.StoredProgram;
import dev.damask.term.Attribute;
import dev.damask.term.WorkflowDefinition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The workflows of an engine and its store, with their versions, documents and definitions.
public final class Catalog {
  private final Engine engine;
  private final StoredDocuments documents;
  private final Map<ProgramHash, Sources> sources = new ConcurrentHashMap<>(); // by any request

  /// Creates the catalogue of an engine.
  public Catalog(Engine engine) {
    this.engine = engine;
    this.documents = new StoredDocuments(engine::program);
  }

  /// One version of a workflow.
  public record Version(
      ProgramHash program, boolean isCurrent, @Nullable LoadedDocument document) {}

  /// Returns the names of all workflows that a caller sees, in order.
  public List<String> names(Caller caller) {
    return engine.programs().stream()
        .map(StoredProgram::name)
        .distinct()
        .filter(caller::sees)
        .sorted()
        .toList();
  }

  /// Returns whether the store knows a workflow.
  public boolean has(String workflow) {
    return engine.programs().stream().anyMatch(each -> each.name().equals(workflow));
  }

  /// Returns the versions of a workflow, the current one first.
  public List<Version> versions(String workflow) {
    ProgramHash current = current(workflow);
    List<Version> all = new ArrayList<>();
    for (StoredProgram each : engine.programs()) {
      if (each.name().equals(workflow)) {
        LoadedDocument document = documents.find(each.hash()).orElse(null);
        all.add(new Version(each.hash(), each.hash().equals(current), document));
      }
    }
    all.sort(
        Comparator.comparing((Version each) -> !each.isCurrent)
            .thenComparing(each -> each.program.toString()));
    return all;
  }

  /// Returns the program that new cases get; null if there is none.
  public @Nullable ProgramHash current(String workflow) {
    return engine.current(workflow).map(Program::hash).orElse(null);
  }

  /// Returns the stored document of a program.
  public Optional<LoadedDocument> document(ProgramHash program) {
    return documents.find(program);
  }

  /// Returns the version that a request names, or the current one. Throws [Problem] if there is
  /// none.
  public Version version(String workflow, Optional<String> program) {
    List<Version> all = versions(workflow);
    return all.stream()
        .filter(each -> program.isEmpty() || each.program.toString().equals(program.get()))
        .findFirst()
        .orElseThrow(
            () -> Problem.notFound("version of workflow " + workflow, program.orElse("current")));
  }

  /// Returns what is known about the source of a program. It is computed once.
  public Sources sources(String workflow, ProgramHash program) {
    Sources known = sources.get(program);
    if (known == null) {
      LoadedDocument document = documents.find(program).orElse(null);
      WorkflowDefinition definition =
          document == null ? registered(workflow, program) : document.workflow();
      known = Sources.of(workflow, definition, document);
      if (definition != null) { // it may be registered later
        sources.put(program, known);
      }
    }
    return known;
  }

  private @Nullable WorkflowDefinition registered(String workflow, ProgramHash program) {
    return Optional.of(program)
        .filter(each -> each.equals(current(workflow)))
        .flatMap(_ -> engine.workflow(workflow))
        .or(() -> engine.described(program))
        .orElse(null);
  }

  /// Returns the keys that a workflow redacts in any of its versions.
  public Set<String> redacted(String workflow) {
    Set<String> keys = new HashSet<>();
    definitions(workflow).forEach(each -> keys.addAll(each.declared().redacted()));
    return keys;
  }

  /// Returns the attributes that any version of a workflow computes from a redacted key. An
  /// attribute whose keys are unknown is one if the workflow redacts anything.
  public Set<String> redactedAttributes(String workflow) {
    Set<String> keys = redacted(workflow);
    Set<String> names = new HashSet<>();
    if (!keys.isEmpty()) {
      for (WorkflowDefinition definition : definitions(workflow)) {
        for (Attribute each : definition.attributes()) {
          if (each.reads().isEmpty() || each.reads().stream().anyMatch(keys::contains)) {
            names.add(each.name());
          }
        }
      }
    }
    return names;
  }

  private List<WorkflowDefinition> definitions(String workflow) {
    List<WorkflowDefinition> all = new ArrayList<>();
    for (StoredProgram each : engine.programs()) {
      WorkflowDefinition definition =
          each.name().equals(workflow) ? sources(workflow, each.hash()).definition() : null;
      if (definition != null) {
        all.add(definition);
      }
    }
    return all;
  }
}
