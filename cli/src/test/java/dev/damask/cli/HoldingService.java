package dev.damask.cli;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.file.Path;

/// A user's service in a process of its own. It holds a store until its input ends.
final class HoldingService {
  private HoldingService() {}

  public static void main(String[] arguments) throws IOException {
    boolean isServed = !arguments[1].equals("alone");
    var order = workflow("order", effect("pack"), effect("ship"));
    EngineOptions options = EngineOptions.defaults().withOwnerService(isServed);
    try (Engine engine = Engine.open(options, Path.of(arguments[0]), order)) {
      engine.start(order, "order-1", Context.of("customer", "acme"));
      System.out.println("ready");
      int end = System.in.read();
      System.out.println("closing " + end);
    }
  }
}
