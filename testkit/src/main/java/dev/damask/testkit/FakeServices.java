package dev.damask.testkit;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The external services of a test. They survive every crash of the engine, as real ones do, and
/// repeat their answer to an attempt that is sent again.
final class FakeServices {
  private final Map<String, List<Answer>> scripts = new HashMap<>();
  private final Map<String, Integer> asked = new HashMap<>();
  private final Map<String, Answer> given = new HashMap<>();
  final List<EffectCall> calls = new ArrayList<>();

  void script(String name, List<Answer> answers) {
    scripts.put(name, answers);
    asked.remove(name);
  }

  Set<String> names() {
    return scripts.keySet();
  }

  /// @param handler answers if there is no script
  Answer answer(EffectCall call, EffectHandler handler) {
    calls.add(call);
    String name = scripts.containsKey(call.task()) ? call.task() : call.type();
    List<Answer> script = scripts.get(name);
    if (script == null) {
      return Answer.by(handler);
    }
    String attempt = call.caseId() + "/" + call.id() + "/" + call.attempt();
    return given.computeIfAbsent(attempt, _ -> next(name, script));
  }

  private Answer next(String name, List<Answer> script) {
    int number = asked.merge(name, 1, Integer::sum);
    return script.get(Math.min(number, script.size()) - 1);
  }
}
