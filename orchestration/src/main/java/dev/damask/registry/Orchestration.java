package dev.damask.registry;

import dev.damask.check.Diagnostic;
import dev.damask.graph.GraphDocument;
import dev.damask.graph.GraphDocumentReader;
import dev.damask.graph.GraphWriter;
import dev.damask.graph.OrchestrationCheck;
import dev.damask.json.Json;
import dev.damask.json.Position;
import dev.damask.rule.RuleDocument;
import dev.damask.rule.RuleReader;
import dev.damask.rule.RuleSource;
import dev.damask.source.DiagnosticCode;
import dev.damask.source.DocumentSources;
import dev.damask.source.JsonPath;
import dev.damask.source.JsonTexts;
import dev.damask.source.Rejected;
import dev.damask.step.Lowering;
import dev.damask.step.StepParts;
import dev.damask.term.StepNode;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A graph and its rules as texts, before they are put anywhere: to be checked, compiled and drawn.
///
/// @param rules by key
/// @param sources where the documents stand in the file they come from; null when they are files of
///   their own
public record Orchestration(
    String graph, Map<String, String> rules, @Nullable DocumentSources sources) {
  private static final Pattern DRAFT =
      Pattern.compile("\\$\\{addr:([^}]+)\\}|\\{\\{([^}]+)\\}\\}|cm:xrc137:(.+)");

  public Orchestration {
    rules = Collections.unmodifiableMap(new TreeMap<>(rules));
  }

  /// Creates an orchestration whose documents are files of their own.
  public Orchestration(String graph, Map<String, String> rules) {
    this(graph, rules, null);
  }

  /// The keys of the rules by the names that other documents know them by.
  public Map<String, String> aliases() {
    Map<String, String> names = new TreeMap<>();
    rules.keySet().forEach(key -> names.put(key, key));
    if (sources != null) {
      names.putAll(sources.aliases());
    }
    return names;
  }

  /// Whether a string looks like a graph document, whatever else is wrong with it.
  public static boolean isGraph(String text) {
    return JsonTexts.isObjectWith("structure", text);
  }

  /// The id of the graph.
  public String id() {
    return document().id();
  }

  /// The graph with the placeholders of drafts replaced by the keys they name.
  public String resolved() {
    GraphDocument document = document();
    return GraphWriter.canonical(document.withRules(Orchestration::key));
  }

  /// The same with other keys of rules.
  public Orchestration prefixed(String prefix) {
    Map<String, String> texts = new TreeMap<>();
    rules.forEach((key, text) -> texts.put(prefix + key, text));
    Map<String, String> names = new TreeMap<>();
    aliases().forEach((name, key) -> names.put(name, prefix + key));
    Map<String, Json> places = new TreeMap<>();
    texts.forEach((key, text) -> {
      Json place = ruleJson(key.substring(prefix.length()));
      if (place != null) {
        places.put(key, place);
      }
    });
    Json whole = graphJson();
    String text = GraphWriter.canonical(document().withRules(rule -> prefix + key(rule)));
    return new Orchestration(
        text, texts, whole == null ? null : new DocumentSources(whole, places, names));
  }

  /// The key a rule of a draft or of a bundle means.
  static String key(String rule) {
    Matcher draft = DRAFT.matcher(rule);
    if (!draft.matches()) {
      return rule;
    }
    for (int i = 1; i <= draft.groupCount(); i++) {
      String name = draft.group(i);
      if (name != null) {
        return name.strip();
      }
    }
    return rule;
  }

  private GraphDocument document() {
    GraphDocumentReader.Result result = GraphDocumentReader.read(graph, true);
    if (result.document() == null) {
      throw new Rejected("graph document", result.diagnostics());
    }
    return result.document();
  }

  /// Returns all diagnostics of the graph and its rules.
  ///
  /// @param entry the first step; null when any step may be the first
  /// @param given the keys a session starts with; null when they are not known
  public List<Diagnostic> check(@Nullable String entry, @Nullable Set<String> given) {
    return found(entry, given).stream().map(this::located).toList();
  }

  /// A diagnostic with a position, if it has none or one in generated text.
  private Diagnostic located(Diagnostic diagnostic) {
    if (diagnostic.line() != 0 && sources == null) {
      return diagnostic;
    }
    int arrow = diagnostic.path().lastIndexOf("→ ");
    String path = diagnostic.path().substring(arrow < 0 ? 0 : arrow + 2);
    Json document = diagnostic.source().isEmpty() ? graphJson() : ruleJson(diagnostic.source());
    String prefix = "rule " + diagnostic.source();
    String inner =
        arrow < 0 && !diagnostic.source().isEmpty() && path.startsWith(prefix)
            ? path.substring(prefix.length()).strip()
            : path;
    if (document == null) {
      return diagnostic;
    }
    Position at = JsonPath.spot(document, inner);
    return diagnostic.at(at.line(), at.column());
  }

  private @Nullable Json graphJson() {
    return sources == null ? JsonTexts.readOrNull(graph) : sources.graph();
  }

  private @Nullable Json ruleJson(String key) {
    return sources == null
        ? JsonTexts.readOrNull(rules.getOrDefault(key, ""))
        : sources.rules().get(key);
  }

  private List<Diagnostic> found(@Nullable String entry, @Nullable Set<String> given) {
    GraphDocumentReader.Result result = GraphDocumentReader.read(graph, true);
    List<Diagnostic> diagnostics = new ArrayList<>(result.diagnostics());
    if (result.document() == null) {
      return diagnostics;
    }
    GraphDocument document = result.document().withRules(Orchestration::key);
    Map<String, Optional<RuleDocument>> read = new TreeMap<>();
    rules.forEach((key, text) -> {
      RuleReader.Result rule = RuleReader.read(text);
      for (Diagnostic diagnostic : rule.diagnostics()) {
        String where = "rule " + key + (diagnostic.path().isEmpty() ? "" : " " + diagnostic.path());
        diagnostics.add(diagnostic.in(key, where));
      }
      read.put(key, Optional.ofNullable(rule.document()));
    });
    if (rules.isEmpty()) {
      diagnostics.addAll(OrchestrationCheck.joins(document));
      return diagnostics;
    }
    boolean broken = read.values().stream().anyMatch(Optional::isEmpty);
    if (!broken) {
      diagnostics.addAll(
          OrchestrationCheck.check(
              document,
              new OrchestrationCheck.Setting(
                  key -> read.getOrDefault(key, Optional.empty()).orElse(null), entry, given)));
    }
    return diagnostics;
  }

  /// The errors for which a graph is not run. Types that do not fit fail only the evaluation that
  /// meets them, so they are not among them.
  ///
  /// @param entry the first step; null when any step may be the first
  /// @param given the keys a session starts with; null when they are not known
  public List<Diagnostic> obstacles(@Nullable String entry, @Nullable Set<String> given) {
    return check(entry, given).stream()
        .filter(diagnostic ->
            diagnostic.isError() && !DiagnosticCode.EXPRESSION_TYPE_MISMATCH.isOf(diagnostic))
        .toList();
  }

  /// A place in the text of the graph, both from 1.
  public record Place(int line, int column) {}

  /// Where a step is described; empty when it is not.
  public Optional<Place> place(String step) {
    Json found = null;
    if (graphJson() instanceof Json.Fields root
        && root.get("structure") instanceof Json.Fields structure) {
      found = structure.get(step);
    }
    return Optional.ofNullable(found).map(Json::at).map(at -> new Place(at.line(), at.column()));
  }

  /// The names of the steps.
  public Set<String> steps() {
    return document().steps().keySet();
  }

  /// The workflow of the graph for sessions that begin at a step, to be searched.
  public WorkflowDefinition workflowFrom(String entry) {
    return workflow().withContext(Context.of(StepNode.ENTRY, entry));
  }

  /// The workflow of the graph, to be compiled, drawn or searched from every step.
  public WorkflowDefinition workflow() {
    Map<String, String> texts = rules;
    RuleSource.Cache cache = new RuleSource.Cache(texts::get);
    return Lowering.workflow(document().withRules(Orchestration::key), StepParts.of(cache));
  }
}
