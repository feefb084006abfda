package dev.damask.session;

import dev.damask.effect.Effect;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.expression.Work;
import dev.damask.http.HttpOptions;
import dev.damask.json.Json;
import dev.damask.json.JsonProblem;
import dev.damask.rule.CompiledRule;
import dev.damask.rule.EvaluationException.Hard;
import dev.damask.rule.EvaluationException.Soft;
import dev.damask.rule.RuleDocument;
import dev.damask.rule.RuleSource;
import dev.damask.rule.RuleTemplate;
import dev.damask.rule.ValueType;
import dev.damask.source.JsonTexts;
import dev.damask.source.Redaction;
import dev.damask.step.StepScope;
import dev.damask.task.Delivery;
import dev.damask.value.Context;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Performs the effects of steps. A failed attempt is repeated. If the last attempt fails, the
/// failure is the result of the effect, because a step handles it as data.
final class StepEffects {
  private static final String FAILED = "failed";
  private static final String JSON = "application/json";

  private final RuleSource.Cache rules;
  private final SecretStore secretStore;
  private final StateSource reader;
  private final Executor executor;
  private final HttpOptions http;
  private final SessionPorts ports;

  StepEffects(
      RuleSource.Cache rules, SecretStore secretStore, SessionOptions options, SessionPorts ports) {
    this.rules = rules;
    this.secretStore = secretStore;
    this.ports = ports;
    this.reader = options.reader();
    this.executor = options.executor();
    this.http = HttpOptions.guardedBy(options.egress());
  }

  Map<String, ?> read(EffectCall call) throws EffectException {
    Context with = call.with();
    StateSource.Request request =
        new StateSource.Request(
            String.valueOf(with.get("to")),
            String.valueOf(with.get("function")),
            list(with.get("args")),
            String.valueOf(with.get("backend")));
    try {
      return Map.of("values", new ArrayList<>(reader.read(request)));
    } catch (InterruptedException e) {
      throw interrupted();
    } catch (Exception e) { // whatever a reader does, for the step it is a failed read
      return failed(call, e.toString());
    }
  }

  private static List<@Nullable Object> list(@Nullable Object value) {
    List<@Nullable Object> copy = new ArrayList<>();
    if (value instanceof List<?> items) {
      copy.addAll(items);
    }
    return copy;
  }

  private static EffectException interrupted() {
    Thread.currentThread().interrupt();
    return new EffectException("interrupted");
  }

  private Map<String, ?> failed(EffectCall call, String why) throws EffectException {
    String clean = Redaction.of(why, secretStore.of(call.caseId()));
    if (call.attempt() < ports.attempts()) {
      throw new EffectException(FAILED, clean);
    }
    return Map.of("error", clean);
  }

  Map<String, ?> execute(EffectCall call) throws EffectException {
    Context with = call.with();
    Executor.Request request =
        new Executor.Request(
            String.valueOf(with.get("to")),
            String.valueOf(with.get("function")),
            list(with.get("args")),
            with.get("value"),
            with.get("gasLimit") instanceof Long limit ? limit : 0,
            with.get("extras"),
            call.key());
    try {
      return Map.of("ok", true, "result", new TreeMap<>(executor.execute(request)));
    } catch (Executor.Reverted e) {
      return Map.of("reverted", String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      throw interrupted();
    } catch (Exception e) { // whatever an executor does, for the step it is a failed execution
      return failed(call, e.toString());
    }
  }

  /// Makes an API call and takes from its answer what the rule extracts; nothing else is kept.
  Map<String, ?> call(EffectCall call) throws EffectException, InterruptedException {
    Map<String, String> secrets = secretStore.of(call.caseId());
    try {
      CompiledRule rule =
          rules.get(String.valueOf(call.with().get("rule")), StepScope.ruleHash(call.context()));
      int index = call.with().get("index") instanceof Long number ? number.intValue() : 0;
      if (index >= rule.document().calls().size()) {
        return Map.of("error", "the rule has no call " + index); // progress of format 4
      }
      RuleDocument.Call spec = rule.document().calls().get(index);
      Context variables = StepScope.resumed(rule, call.context());
      Context visible = variables;
      for (Map.Entry<String, String> entry : secrets.entrySet()) {
        visible = visible.with(entry.getKey(), entry.getValue());
      }
      EffectCall request = request(call, spec, with(rule, spec, visible));
      HttpOptions options = http.withTime(Duration.ofMillis(spec.timeoutMillis()));
      Object body = ports.client().body(request, options);
      Json json = JsonTexts.read(body instanceof String text ? text : "");
      return Map.of(
          "values", extract(rule, spec, variables.with("resp", JsonTexts.value(json)), secrets));
    } catch (EffectException | JsonProblem e) {
      return failed(call, String.valueOf(e.getMessage()));
    } catch (RuleTemplate.Missing e) {
      return Map.of("error", String.valueOf(e.getMessage()));
    } catch (Hard e) {
      return Map.of("hard", Redaction.of(e.detail(), secrets), "kind", e.kind());
    }
  }

  /// The call as the engine's client knows it. A service that is asked to change something receives
  /// the key that is the same for every attempt.
  private static EffectCall request(EffectCall call, RuleDocument.Call spec, Context with) {
    return new EffectCall(
        call.caseId(),
        new Effect(call.id(), spec.name(), call.attempt(), "http", call.key()),
        spec.method().equals("GET") ? Delivery.READ : Delivery.KEYED,
        with,
        Context.empty());
  }

  private static Context with(CompiledRule rule, RuleDocument.Call spec, Context variables)
      throws RuleTemplate.Missing {
    UnaryOperator<String> encoding =
        value -> URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.put("Accept", JSON);
    Context with =
        Context.of("method", spec.method())
            .with("url", rule.template(spec.urlTemplate(), true).render(variables, encoding));
    if (!spec.method().equals("GET")) {
      headers.put("Content-Type", JSON);
      String body = rule.template(spec.bodyTemplate(), true).render(variables, text -> text);
      with = with.with("body", body);
    }
    for (Map.Entry<String, String> entry : spec.headers().entrySet()) {
      String value = rule.template(entry.getValue(), true).render(variables, text -> text);
      headers.put(entry.getKey(), value);
    }
    return with.with("headers", new TreeMap<>(headers));
  }

  /// The extracts that could be had; the others are left to their defaults.
  private static Map<String, Object> extract(
      CompiledRule rule, RuleDocument.Call spec, Context given, Map<String, String> secrets)
      throws Hard {
    Map<String, Object> values = new TreeMap<>();
    Context variables = given;
    Work work = Work.bounded();
    for (String alias : rule.order(spec)) {
      RuleDocument.Extract extract = Objects.requireNonNull(spec.extracts().get(alias));
      Object seen = extract.fallback(); // by the extracts that use this one
      try {
        Object value = extract.type().cast(rule.evaluate(extract.value(), variables, work));
        // An answer may repeat a secret that it was sent.
        seen = value instanceof String text ? Redaction.of(text, secrets) : value;
        values.put(alias, seen);
      } catch (Soft | ValueType.CastFailed e) {
        values.remove(alias); // its default, or the lack of one, is the step's business
      } catch (Hard e) {
        if (!e.kind().equals(Hard.TX) || rule.isBroken(extract.value())) {
          throw e;
        }
      }
      variables = seen == null ? variables : variables.with(alias, seen);
    }
    return values;
  }
}
