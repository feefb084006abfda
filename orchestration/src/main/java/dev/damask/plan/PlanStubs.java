package dev.damask.plan;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.json.JsonWriter;
import dev.damask.session.Executor;
import dev.damask.session.StateSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Stubs of the external services of a plan. Each call returns the next response of its list, and
/// the last one repeatedly. A call without a list fails.
///
/// @param api by the name of the call: the body of a response, or `{fail: why}`
/// @param reads by the function of the read: the list of its outputs, or `{fail: why}`
/// @param executions by the function: its result, or `{revert: why}`
record PlanStubs(
    Map<String, List<?>> api,
    Map<String, List<?>> reads,
    Map<String, List<?>> executions,
    Map<String, AtomicInteger> taken) {
  static PlanStubs read(PlanFields fields) {
    fields.requireOnly("api", "reads", "executions");
    return new PlanStubs(
        lists(fields, "api"),
        lists(fields, "reads"),
        lists(fields, "executions"),
        new ConcurrentHashMap<>());
  }

  private static Map<String, List<?>> lists(PlanFields fields, String field) {
    PlanFields child = fields.child(field);
    Map<String, List<?>> lists = new TreeMap<>();
    for (String name : child.fields().keySet()) {
      List<?> answers = child.list(name);
      if (answers.isEmpty()) {
        throw child.wrong(name, "expected a non-empty list of responses");
      }
      lists.put(name, answers);
    }
    return lists;
  }

  private @Nullable Object next(Map<String, List<?>> lists, String kind, String name)
      throws EffectException {
    List<?> answers = lists.get(name);
    if (answers == null) {
      throw new EffectException("stub", "the plan has no response for " + kind + " " + name);
    }
    int number =
        taken.computeIfAbsent(kind + " " + name, key -> new AtomicInteger()).getAndIncrement();
    Object answer = answers.get(Math.min(number, answers.size() - 1));
    if (answer instanceof Map<?, ?> map && map.get("fail") instanceof String why) {
      throw new EffectException("stub", why);
    }
    return answer;
  }

  /// The body of a response.
  String body(EffectCall call) throws EffectException {
    return JsonWriter.canonical(next(api, "api", call.task()));
  }

  List<?> read(StateSource.Request request) throws EffectException {
    Object outputs = next(reads, "reads", function(request.function()));
    return outputs instanceof List<?> list ? list : List.of(String.valueOf(outputs));
  }

  Map<String, @Nullable Object> execute(Executor.Request request)
      throws EffectException, Executor.Reverted {
    Object answer = next(executions, "executions", function(request.function()));
    Map<String, @Nullable Object> result = new TreeMap<>();
    if (answer instanceof Map<?, ?> map) {
      if (map.get("revert") instanceof String why) {
        throw new Executor.Reverted(why);
      }
      map.forEach((key, value) -> result.put(String.valueOf(key), value));
    }
    return result;
  }

  private static String function(String signature) {
    int open = signature.indexOf('(');
    return open < 0 ? signature : signature.substring(0, open);
  }
}
