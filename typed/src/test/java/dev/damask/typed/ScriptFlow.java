package dev.damask.typed;

import static dev.damask.typed.Steps.script;
import static dev.damask.typed.Steps.workflow;

import dev.damask.cases.Engine;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import dev.damask.value.Key;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// A workflow of one script, and the calls that its steps have made.
abstract class ScriptFlow {
  static final Key<Integer> N = Key.of("n", Integer.class);
  static final Key<String> TEXT = Key.of("text", String.class);
  static final Signal<String> GO = Signal.of("go", String.class);

  final Queue<String> calls = new ConcurrentLinkedQueue<>();

  static Workflow<Integer, String> flow(ScriptHandlers.Script1<Integer, String> code) {
    return workflow("flow", N, TEXT, script("s", N, code).as(TEXT));
  }

  final String done(String what) {
    calls.add(what);
    return what;
  }

  static String joined(Workflow<Integer, String> flow, int n) {
    try (Engine engine = Engine.open(flow)) {
      return engine.start(flow, "one", n).join();
    }
  }
}
