package dev.damask.rule;

import dev.damask.expression.InvalidExpression;
import dev.damask.expression.RuleExpression;
import dev.damask.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The cost of evaluating a rule, computed from its document alone. It meters and limits steps.
public final class Cost {
  private static final long SECONDS_PER_UNIT = 3_600;

  private final long common;
  private final long valid;
  private final long invalid;

  Cost(RuleDocument document) {
    this.common = common(document);
    this.valid = branch(document.onValid());
    this.invalid = branch(document.onInvalid());
  }

  /// The cost up to the choice of the branch.
  public long common() {
    return common;
  }

  /// The cost of a whole evaluation.
  public long total(boolean isValid, long waitSeconds, int spawns) {
    long units = Math.ceilDiv(Math.max(0, waitSeconds), SECONDS_PER_UNIT);
    long waiting = units > Long.MAX_VALUE / 10_000 ? Long.MAX_VALUE / 4 : 100 * units * spawns;
    return common + (isValid ? valid : invalid) + waiting;
  }

  private static long common(RuleDocument document) {
    long sum = 10_000;
    for (RuleDocument.Field field : document.payload().values()) {
      sum += field.fallback() == null ? 1_000 : 200;
    }
    for (RuleDocument.Rule rule : document.rules()) {
      RuleExpression.Shape shape = shape(rule.expression());
      sum += 1_200 + 600 * shape.operators() + 800 * shape.functions();
      sum += 250L * RuleText.placeholders(rule.expression()) + (shape.regex() ? 4_000 : 0);
    }
    for (RuleDocument.Read read : document.reads()) {
      long defaults = read.saves().values().stream().filter(s -> s.fallback() != null).count();
      sum += 6_000 + 600L * read.args().size() + 400L * read.saves().size() + 250 * defaults;
    }
    for (RuleDocument.Call call : document.calls()) {
      sum += 8_000 + 200L * placeholders(call);
      for (RuleDocument.Extract extract : call.extracts().values()) {
        RuleExpression.Shape shape = shape(extract.value());
        sum += 600 + 500 * shape.operators() + 400 * shape.functions();
        sum += shape.regex() ? 4_000 : 0;
      }
    }
    return sum;
  }

  private static int placeholders(RuleDocument.Call call) {
    List<String> texts = new ArrayList<>(List.of(call.urlTemplate(), call.bodyTemplate()));
    texts.addAll(call.headers().values());
    return texts.stream().mapToInt(RuleText::placeholders).sum();
  }

  private static long branch(RuleDocument.Branch branch) {
    long sum = 400L * branch.payload().size();
    for (Map.Entry<String, Json> entry : branch.payload().entrySet()) {
      if (entry.getValue() instanceof Json.Text(var at, var text)
          && RuleText.classify(text) != RuleText.Form.TEMPLATE) {
        RuleExpression.Shape shape = shape(text);
        sum += 600 + 600 * shape.operators() + 800 * shape.functions();
        sum += 250L * RuleText.placeholders(text) + (shape.regex() ? 4_000 : 0);
      }
    }
    RuleDocument.Execution execution = branch.execution();
    if (execution != null) {
      sum += 1_200 + 700L * execution.args().size() + (execution.value() == null ? 0 : 800);
    }
    return sum;
  }

  /// An expression that cannot be compiled costs nothing; its evaluation fails.
  private static RuleExpression.Shape shape(String text) {
    try {
      return RuleText.compile(text).shape();
    } catch (InvalidExpression e) {
      return new RuleExpression.Shape(0, 0, false);
    }
  }
}
