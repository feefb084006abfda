package dev.damask.crash;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// An engine on a real store with handlers that use up the heap, or a case that gets more signals
/// than it may keep, beside others that do not.
final class SmallHeap {
  private static final int ROUNDS = 5;
  private static final int SIGNALS = 100;
  private static final int TEXT = 60_000;

  private SmallHeap() {}

  /// Runs one of the two situations and prints what it counted.
  ///
  /// @param arguments the store, and `handlers` or `signals`
  public static void main(String[] arguments) throws InterruptedException {
    if (arguments[1].equals("signals")) {
      signals(Path.of(arguments[0]));
    } else {
      handlers(Path.of(arguments[0]));
    }
  }

  /// One case gets more signals than it may keep, each with a different text.
  private static void signals(Path store) throws InterruptedException {
    WorkflowDefinition waiting = workflow("waiting", defer(on("go", defer(on("later", skip())))));
    int kept = 0;
    int rejected = 0;
    try (Engine engine = Engine.open(EngineOptions.defaults(), store, waiting)) {
      engine.start(waiting, "full", Context.empty());
      engine.start(waiting, "other", Context.empty());
      for (int i = 0; i < SIGNALS; i++) {
        String text = (i + " ").repeat(TEXT / (i + " ").length());
        var payload = Map.of("a", "a" + text, "b", "b" + text, "c", "c" + text);
        switch (engine.signal("full", "later", payload).kind()) {
          case BUFFERED -> kept++;
          case REJECTED -> rejected++;
          default -> throw new IllegalStateException("neither kept nor rejected");
        }
      }
      engine.signal("other", "later", Map.of());
      engine.signal("other", "go", Map.of());
      boolean isDone = engine.await("other") instanceof CaseResult.Completed;
      System.out.println("kept " + kept + ", rejected " + rejected + ", other " + isDone);
    }
  }

  private static void handlers(Path store) throws InterruptedException {
    WorkflowDefinition greedy = workflow("greedy", effect("greedy"));
    WorkflowDefinition modest = workflow("modest", effect("modest"));
    EngineOptions options =
        EngineOptions.defaults()
            .withHandler(
                "greedy",
                _ -> {
                  List<byte[]> kept = new ArrayList<>();
                  while (kept.size() < Integer.MAX_VALUE) {
                    kept.add(new byte[1 << 20]);
                  }
                  return kept.size();
                })
            .withHandler("modest", _ -> 1);
    int failed = 0;
    int completed = 0;
    try (Engine engine = Engine.open(options, store, greedy, modest)) {
      for (int i = 0; i < ROUNDS; i++) {
        CaseResult<Context> bad = engine.start(greedy, "greedy-" + i, Context.empty()).await();
        boolean isMemory = bad.toString().contains("OutOfMemoryError");
        failed += bad instanceof CaseResult.Failed && isMemory ? 1 : 0;
        CaseResult<Context> good = engine.start(modest, "modest-" + i, Context.empty()).await();
        completed += good instanceof CaseResult.Completed ? 1 : 0;
      }
    }
    System.out.println("failed " + failed + ", completed " + completed);
  }
}
