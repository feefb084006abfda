package dev.damask.graph;

import dev.damask.check.Diagnostic;
import dev.damask.graph.GraphDocument.Branch;
import dev.damask.graph.GraphDocument.Join;
import dev.damask.json.Position;
import dev.damask.rule.RuleCheck;
import dev.damask.rule.RuleDocument;
import dev.damask.source.DiagnosticCode;
import dev.damask.term.GroupReach;
import dev.damask.term.StepNode;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Checks a graph without running it, alone and together with its rules.
public final class OrchestrationCheck {
  private OrchestrationCheck() {}

  /// Reports joins that can never fire and sources that can never deliver.
  public static List<Diagnostic> joins(GraphDocument graph) {
    List<Diagnostic> diagnostics = new ArrayList<>();
    List<StepNode> steps = GraphShape.steps(graph);
    GroupReach reach = new GroupReach(steps);
    for (StepNode step : steps) {
      String path = "structure." + step.id();
      joins(diagnostics, path + ".onValid.join", step.onValid(), steps, reach);
      joins(diagnostics, path + ".onInvalid.join", step.onInvalid(), steps, reach);
    }
    return diagnostics;
  }

  private static void joins(
      List<Diagnostic> diagnostics,
      String path,
      StepNode.Branch branch,
      List<StepNode> steps,
      GroupReach reach) {
    StepNode.GroupJoin join = branch.join();
    if (join == null) {
      return;
    }
    List<String> ids = steps.stream().map(StepNode::id).toList();
    BitSet reached = new BitSet();
    branch.spawns().forEach(spawn -> reached.or(reach.steps()[ids.indexOf(spawn)]));
    List<String> lost =
        join.from().stream()
            .map(StepNode.Source::step)
            .filter(source -> !reached.get(ids.indexOf(source)))
            .toList();
    if (!reach.canFulfil(branch, join)) {
      diagnostics.add(
          DiagnosticCode.JOIN_UNFULFILLABLE.error(
              path,
              Position.NONE,
              "the join needs %d sources, but its branch cannot produce %s"
                  .formatted(join.need(), lost)));
    } else if (!lost.isEmpty()) {
      diagnostics.add(
          DiagnosticCode.JOIN_SOURCE_UNREACHABLE.warning(
              path, Position.NONE, "its branch cannot produce " + lost));
    }
  }

  /// The input of a check of a graph together with its rules.
  ///
  /// @param rules returns the rule of a key, or null if there is none
  /// @param entry the first step; null if any step may be the first
  /// @param given the keys of the payload that a session starts with; null if they are unknown
  public record Setting(
      java.util.function.Function<String, @Nullable RuleDocument> rules,
      @Nullable String entry,
      @Nullable Set<String> given) {}

  /// Checks a graph and its rules.
  public static List<Diagnostic> check(GraphDocument graph, Setting setting) {
    List<Diagnostic> diagnostics = new ArrayList<>(joins(graph));
    if (setting.entry() != null && !graph.steps().containsKey(setting.entry())) {
      diagnostics.add(
          DiagnosticCode.ENTRY_STEP_UNKNOWN.error(
              "", Position.NONE, "there is no step '" + setting.entry() + "' to start with"));
      return diagnostics;
    }
    for (Map.Entry<String, GraphDocument.Step> step : graph.steps().entrySet()) {
      String key = step.getValue().rule();
      RuleDocument rule = setting.rules().apply(key);
      String path = "structure." + step.getKey() + ".rule";
      if (rule == null) {
        diagnostics.add(
            DiagnosticCode.RULE_UNKNOWN.error(
                path, Position.NONE, "there is no rule '" + key + "'"));
      } else {
        RuleCheck.check(rule)
            .forEach(diagnostic ->
                diagnostics.add(diagnostic.in(key, path + " → " + diagnostic.path())));
      }
    }
    diagnostics.addAll(new PayloadFlow(graph, setting).diagnostics());
    return diagnostics;
  }

  /// The branches of a step with their outcomes; true is valid.
  static List<Map.Entry<Boolean, Branch>> branches(GraphDocument.Step step) {
    return List.of(Map.entry(true, step.onValid()), Map.entry(false, step.onInvalid()));
  }

  static boolean isJoinTarget(@Nullable Join join, String step) {
    return join != null && join.target().equals(step);
  }
}
