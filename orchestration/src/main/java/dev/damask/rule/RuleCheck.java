package dev.damask.rule;

import dev.damask.check.Diagnostic;
import dev.damask.expression.InvalidExpression;
import dev.damask.expression.RuleExpression;
import dev.damask.json.Json;
import dev.damask.json.Position;
import dev.damask.source.DiagnosticCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Checks that every placeholder of a rule is read, extracted or declared before it is used.
public final class RuleCheck {
  private final RuleDocument rule;
  private final List<Diagnostic> diagnostics = new ArrayList<>();
  private final Set<String> known = new TreeSet<>(Set.of("from", "pid"));

  private final Map<String, String> types;

  /// Whether the checked value has a default, which is used if a name has no value.
  private boolean isOptional;

  private RuleCheck(RuleDocument rule) {
    this.rule = rule;
    this.types = rule.types();
  }

  public static List<Diagnostic> check(RuleDocument rule) {
    return new RuleCheck(rule).run();
  }

  private List<Diagnostic> run() {
    known.addAll(rule.payload().keySet());
    for (String name : List.of(CompiledRule.FROM, CompiledRule.PID)) {
      if (types.containsKey(name)) {
        diagnostics.add(
            DiagnosticCode.ENGINE_KEY.warning(
                name,
                Position.NONE,
                "[" + name + "] is set by the engine; the declared value is ignored"));
      }
    }
    for (int i = 0; i < rule.reads().size(); i++) {
      RuleDocument.Read read = rule.reads().get(i);
      String path = "contractReads[" + i + "]";
      mixed(path + ".to", read.to());
      typed(path + ".args", read.args());
      read.saves().values().forEach(save -> known.add(save.key()));
    }
    for (int i = 0; i < rule.calls().size(); i++) {
      call("apiCalls[" + i + "]", rule.calls().get(i));
    }
    for (int i = 0; i < rule.rules().size(); i++) {
      expression("rules[" + i + "]", rule.rules().get(i).expression(), Set.of());
    }
    branch("onValid", rule.onValid());
    branch("onInvalid", rule.onInvalid());
    return diagnostics;
  }

  private void call(String path, RuleDocument.Call call) {
    template(path + ".urlTemplate", call.urlTemplate());
    template(path + ".bodyTemplate", call.bodyTemplate());
    call.headers().forEach((name, value) -> template(path + ".headers." + name, value));
    Set<String> others = new TreeSet<>(Set.of("resp"));
    for (String alias : call.order()) {
      RuleDocument.Extract extract = call.extracts().get(alias);
      if (extract != null) {
        isOptional = extract.fallback() != null;
        expression(path + ".extractMap." + alias, extract.value(), others);
        isOptional = false;
        others.add(alias);
      }
    }
    known.addAll(call.extracts().keySet());
  }

  private void branch(String path, RuleDocument.Branch branch) {
    payload(path + ".payload", branch.payload());
    RuleDocument.Execution execution = branch.execution();
    if (execution != null) {
      mixed(path + ".execution.to", execution.to());
      typed(path + ".execution.args", execution.args());
    }
    for (Json wait : new Json[] {branch.waitSec(), branch.waitUntilMillis()}) {
      if (wait instanceof Json.Text(var at, var text)) {
        expression(path + ".wait", text, Set.of());
      }
    }
    for (int i = 0; i < branch.wakeUps().size(); i++) {
      payload(path + ".wakeUps[" + i + "].payload", branch.wakeUps().get(i).payload());
    }
  }

  private void payload(String path, Map<String, Json> entries) {
    entries.forEach((key, json) -> {
      if (json instanceof Json.Text(var at, var text)) {
        mixed(path + "." + key, text);
      }
    });
  }

  private void typed(String path, List<RuleDocument.TypedValue> values) {
    for (int i = 0; i < values.size(); i++) {
      if (values.get(i).value() instanceof Json.Text(var at, var text)) {
        isOptional = values.get(i).fallback() != null;
        mixed(path + "[" + i + "]", text);
        isOptional = false;
      }
    }
  }

  private void mixed(String path, String text) {
    if (RuleText.classify(text) == RuleText.Form.EXPRESSION) {
      expression(path, text, Set.of());
    } else {
      RuleTemplate.parse(text, false).names().forEach(name -> name(path, name));
    }
  }

  private void template(String path, String text) {
    RuleTemplate.parse(text, true).names().forEach(name -> name(path, name));
  }

  private void expression(String path, String text, Set<String> more) {
    try {
      RuleExpression compiled = RuleText.compile(text, types);
      for (String name : compiled.names()) {
        if (!more.contains(name) && !name.equals("ctx")) {
          name(path, name);
        }
      }
      for (String mismatch : compiled.mismatches()) {
        diagnostics.add(
            DiagnosticCode.EXPRESSION_TYPE_MISMATCH.error(path, Position.NONE, mismatch));
      }
    } catch (InvalidExpression e) {
      // Only an expression that is too long: the reader has rejected all others.
      diagnostics.add(
          DiagnosticCode.RULE_EXPR_INVALID.error(
              path, Position.NONE, String.valueOf(e.getMessage())));
    }
  }

  private void name(String path, String name) {
    if (!known.contains(name) && !name.startsWith("__") && !isOptional) {
      diagnostics.add(
          DiagnosticCode.PLACEHOLDER_UNKNOWN.error(
              path, Position.NONE, "'" + name + "' never gets a value"));
    }
  }
}
