package dev.damask.orchestration;

import dev.damask.task.Context;
import dev.damask.term.StepNode;
import dev.damask.term.Workflow;
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
public record Orchestration(String graph, Map<String, String> rules) {
  private static final Pattern DRAFT =
      Pattern.compile("\\$\\{addr:([^}]+)\\}|\\{\\{([^}]+)\\}\\}|cm:xrc137:(.+)");

  public Orchestration {
    rules = Collections.unmodifiableMap(new TreeMap<>(rules));
  }

  /// Whether a text looks like a graph document, whatever else is wrong with it.
  public static boolean isGraph(String text) {
    try {
      return JsonText.read(text) instanceof Json.Fields fields && fields.get("structure") != null;
    } catch (JsonText.Malformed e) {
      return false;
    }
  }

  /// The graph with the placeholders of drafts replaced by the keys they name.
  public String resolved() {
    GraphDocument document = document();
    return GraphWriter.json(document.withRules(Orchestration::key)).canonical();
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
    GraphReader.Result result = GraphReader.read(graph, true);
    if (result.document() == null) {
      throw new Rejected("graph document", result.notices());
    }
    return result.document();
  }

  /// Everything there is to say about the graph and its rules.
  ///
  /// @param entry the first step; null when any step may be the first
  /// @param given the keys a session starts with; null when they are not known
  public List<Notice> check(@Nullable String entry, @Nullable Set<String> given) {
    GraphReader.Result result = GraphReader.read(graph, true);
    List<Notice> notices = new ArrayList<>(result.notices());
    if (result.document() == null) {
      return notices;
    }
    GraphDocument document = result.document().withRules(Orchestration::key);
    Map<String, Optional<RuleDocument>> read = new TreeMap<>();
    rules.forEach((key, text) -> {
      RuleReader.Result rule = RuleReader.read(text);
      for (Notice notice : rule.notices()) {
        notices.add(
            new Notice(
                notice.severity(),
                notice.code(),
                "rule " + key + (notice.path().isEmpty() ? "" : " " + notice.path()),
                notice.line(),
                notice.column(),
                notice.sentence()));
      }
      read.put(key, Optional.ofNullable(rule.document()));
    });
    if (rules.isEmpty()) {
      notices.addAll(GraphCheck.joins(document));
      return notices;
    }
    boolean broken = read.values().stream().anyMatch(Optional::isEmpty);
    if (!broken) {
      notices.addAll(
          GraphCheck.check(
              document,
              new GraphCheck.Setting(
                  key -> read.getOrDefault(key, Optional.empty()).orElse(null), entry, given)));
    }
    return notices;
  }

  /// A place in the text of the graph, both from 1.
  public record Place(int line, int column) {}

  /// Where a step is described; empty when it is not.
  public Optional<Place> place(String step) {
    Json found = null;
    try {
      if (JsonText.read(graph) instanceof Json.Fields root
          && root.get("structure") instanceof Json.Fields structure) {
        found = structure.get(step);
      }
    } catch (JsonText.Malformed e) {
      return Optional.empty();
    }
    return Optional.ofNullable(found).map(Json::at).map(at -> new Place(at.line(), at.column()));
  }

  /// The names of the steps.
  Set<String> steps() {
    return document().steps().keySet();
  }

  /// The workflow of the graph for sessions that begin at a step, to be searched.
  public Workflow workflowFrom(String entry) {
    return workflow().withContext(Context.of(StepNode.ENTRY, entry));
  }

  /// The workflow of the graph, to be compiled, drawn or searched from every step.
  public Workflow workflow() {
    Map<String, String> texts = rules;
    RuleSource.Cache cache = new RuleSource.Cache(texts::get);
    return Lowering.workflow(document().withRules(Orchestration::key), StepParts.of(cache));
  }
}
