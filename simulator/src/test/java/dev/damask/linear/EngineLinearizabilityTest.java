package dev.damask.linear;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.nursery.Nursery;
import dev.damask.store.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Several clients at once on the public methods of a real engine: each case behaves as if its
/// calls had come one at a time.
@Timeout(120)
final class EngineLinearizabilityTest {
  private static final int CLIENTS = 6;
  private static final int CASES = 150;
  private static final int CALLS_PER_CASE = 6;

  private final CaseModel model = new CaseModel();

  private static Map<String, CallHistory<CaseCall, String>> record(Engine engine, long seed) {
    Map<String, CallHistory<CaseCall, String>> histories = new TreeMap<>();
    for (int i = 0; i < CASES; i++) {
      histories.put("case-" + i, new CallHistory<>());
    }
    CaseClient client = CaseClient.of(engine);
    try (Nursery clients = Nursery.open("clients")) {
      for (int i = 0; i < CLIENTS; i++) {
        String name = "c" + i;
        Random random = new Random(seed * CLIENTS + i);
        clients.launch(
            "client",
            _ ->
                histories.forEach((caseId, history) -> {
                  boolean hasEnded = false;
                  for (int k = 0; k < CALLS_PER_CASE; k++) {
                    CaseCall call = CaseCall.random(random, name, hasEnded);
                    String answer = history.perform(call, () -> client.perform(caseId, call));
                    hasEnded |= CaseModel.tellsEnd(answer);
                  }
                }));
      }
      clients.seal();
    }
    return histories;
  }

  @Test
  void every_case_of_an_engine_in_memory_is_linearizable() {
    long seed = System.nanoTime();
    Map<String, CallHistory<CaseCall, String>> histories;
    try (Engine engine =
        Engine.open(CaseClient.options(), new MemoryStore(), CaseModel.workflow())) {
      histories = record(engine, seed);
    }

    int overlapping = 0;
    long awaited = 0;
    for (var each : histories.entrySet()) {
      List<Operation<CaseCall, String>> operations = each.getValue().operations();
      assertThat(operations).hasSize(CLIENTS * CALLS_PER_CASE);
      assertThat(Linearizability.check(model, operations))
          .as("seed %d, %s", seed, each.getKey())
          .isInstanceOf(Linearization.Linearizable.class);
      awaited += operations.stream().filter(o -> o.call() instanceof CaseCall.Await).count();
      overlapping += overlaps(operations) ? 1 : 0;
    }
    // Calls that never met would prove nothing.
    assertThat(overlapping).isGreaterThan(CASES / 10);
    assertThat(awaited).isGreaterThan(CASES / 10);
  }

  private static boolean overlaps(List<Operation<CaseCall, String>> operations) {
    for (int i = 1; i < operations.size(); i++) {
      if (operations.get(i).invoked() < operations.get(i - 1).returned()) {
        return true;
      }
    }
    return false;
  }

  @Test
  void an_answer_that_no_order_explains_is_noticed() {
    Map<String, CallHistory<CaseCall, String>> histories;
    try (Engine engine =
        Engine.open(CaseClient.options(), new MemoryStore(), CaseModel.workflow())) {
      histories = record(engine, 7);
    }

    int noticed = 0;
    int forged = 0;
    for (var history : histories.values()) {
      List<Operation<CaseCall, String>> operations = new ArrayList<>(history.operations());
      for (int i = 0; i < operations.size(); i++) {
        Operation<CaseCall, String> told = operations.get(i);
        if (told.call() instanceof CaseCall.Start && CaseModel.MADE.equals(told.answer())) {
          // A second client is told that it was the one who made the case.
          operations.add(
              new Operation<>(told.call(), told.answer(), told.invoked(), told.returned()));
          forged++;
          noticed +=
              Linearizability.check(model, operations) instanceof Linearization.NotLinearizable
                  ? 1
                  : 0;
          break;
        }
      }
    }
    assertThat(noticed).isEqualTo(forged).isGreaterThan(CASES / 2);
  }
}
