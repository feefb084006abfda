package dev.damask.cli;

import static dev.damask.cli.Shell.damask;

/// The session of the example order, started by eve on a store, where it waits for a decision.
final class OrderSession {
  static final String GRAPH = "../examples/order-approval/graph.json";
  static final String RULES = "../examples/order-approval/rules";

  private OrderSession() {}

  static Shell start(String store) {
    return start(store, "{\"order\": \"o-1\", \"amount\": 120}");
  }

  static Shell start(String store, String context) {
    return damask(
        "run",
        GRAPH,
        "--rules",
        RULES,
        "--entry",
        "Request",
        "--store",
        store,
        "--owner",
        "eve",
        "--context",
        context);
  }
}
