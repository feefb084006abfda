package dev.damask.graph;

import dev.damask.graph.GraphDocument.Branch;
import dev.damask.json.Json;
import dev.damask.rule.EvaluationException;
import dev.damask.rule.RuleDocument;
import dev.damask.rule.RuleSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// The notes of a diagram about a step: its rule, its waits, the steps that may wake it and the
/// steps that it wakes. Waits and wake-ups are shown only if the rules are known.
public record StepNotes(GraphDocument graph, RuleSource.Cache rules) {
  private static final int NAME_MAX = 24;

  public List<String> of(String step) {
    List<String> notes = new ArrayList<>();
    GraphDocument.Step own = graph.steps().get(step);
    if (own == null) {
      return notes;
    }
    if (!own.rule().equals(step)) {
      notes.add("rule " + shortened(own.rule()));
    }
    Set<String> waits = waits(step);
    if (!waits.isEmpty()) {
      notes.add("waits " + String.join(" or ", waits));
      Set<String> senders = senders(step);
      String wakers = senders.isEmpty() ? "" : ", steps " + String.join(", ", senders);
      notes.add("woken by its owner" + wakers + ", or __wakeUp");
    }
    rule(own)
        .ifPresent(rule -> {
          wakeUps(rule.onValid(), "valid", notes);
          wakeUps(rule.onInvalid(), "invalid", notes);
        });
    return notes;
  }

  private static String shortened(String name) {
    return name.length() <= NAME_MAX
        ? name
        : name.substring(0, 10) + "…" + name.substring(name.length() - 6);
  }

  private Optional<RuleDocument> rule(GraphDocument.Step step) {
    try {
      return Optional.of(rules.get(step.rule()).document());
    } catch (EvaluationException.Hard e) {
      return Optional.empty();
    }
  }

  /// The waits before a step begins, on any path.
  private Set<String> waits(String step) {
    Set<String> waits = new TreeSet<>();
    for (GraphDocument.Step each : graph.steps().values()) {
      rule(each)
          .ifPresent(rule -> {
            for (Map.Entry<Boolean, Branch> entry : OrchestrationCheck.branches(each)) {
              Branch branch = entry.getValue();
              boolean leads =
                  branch.spawns().contains(step)
                      || OrchestrationCheck.isJoinTarget(branch.join(), step);
              if (leads) {
                wait(entry.getKey() ? rule.onValid() : rule.onInvalid()).ifPresent(waits::add);
              }
            }
          });
    }
    return waits;
  }

  private static Optional<String> wait(RuleDocument.Branch branch) {
    if (branch.waitUntilMillis() != null) {
      return Optional.of("until " + shown(branch.waitUntilMillis()));
    }
    return Optional.ofNullable(branch.waitSec())
        .filter(wait -> !shown(wait).equals("0"))
        .map(StepNotes::duration);
  }

  /// A number of seconds in the largest unit that fits, or the expression.
  private static String duration(Json wait) {
    long seconds = wait instanceof Json.Numeral numeral ? numeral.whole().orElse(-1) : -1;
    if (seconds < 0) {
      return shown(wait) + " s";
    }
    return seconds % 86_400 == 0
        ? seconds / 86_400 + " d"
        : seconds % 3_600 == 0
            ? seconds / 3_600 + " h"
            : seconds % 60 == 0 ? seconds / 60 + " min" : seconds + " s";
  }

  private static String shown(Json json) {
    return json instanceof Json.Text(var at, var text) ? text : json.canonical();
  }

  /// The steps of this graph whose rules wake a step.
  private Set<String> senders(String step) {
    Set<String> senders = new TreeSet<>();
    graph
        .steps()
        .forEach((id, each) ->
            rule(each)
                .filter(rule -> isSender(rule.onValid(), step) || isSender(rule.onInvalid(), step))
                .ifPresent(rule -> senders.add(id)));
    return senders;
  }

  private static boolean isSender(RuleDocument.Branch branch, String step) {
    return branch.wakeUps().stream().anyMatch(wakeUp -> wakeUp.stepId().equals(step));
  }

  private static void wakeUps(RuleDocument.Branch branch, String outcome, List<String> notes) {
    for (RuleDocument.WakeUp wakeUp : branch.wakeUps()) {
      notes.add("%s: wakes %s of %s".formatted(outcome, wakeUp.stepId(), wakeUp.runner()));
    }
  }
}
