package dev.damask.crash;

import dev.damask.linear.CallHistory;
import dev.damask.linear.CaseCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A short fixed run of one client: it asks for one thing after the other and remembers what it was
/// told. Played again on another process it insists on what it was not told.
final class Script {
  private final String name;
  private final Map<String, CallHistory<CaseCall, String>> asked = new TreeMap<>();
  private final Map<String, String> ends = new TreeMap<>();
  private final List<String> refusals = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  /// @param name part of the ids of its cases
  Script(String name) {
    this.name = name;
    asked.put("asked-" + name, new CallHistory<>());
  }

  /// Plays everything; true when everything was answered. A process that once gave no answer must
  /// give none any more.
  boolean play(WorkerProcess worker) {
    refusals.clear();
    pay(worker, "paid-" + name + "-1");
    ask(worker, new CaseCall.Start());
    ask(worker, new CaseCall.Signal("s1", "m1"));
    ask(worker, new CaseCall.Look());
    pay(worker, "paid-" + name + "-2");
    ask(worker, new CaseCall.Answer("a1"));
    ask(worker, new CaseCall.Signal("s2", "m2"));
    ask(worker, new CaseCall.Look());
    return refusals.isEmpty();
  }

  private void ask(WorkerProcess worker, CaseCall call) {
    asked.forEach((caseId, history) -> {
      try {
        history.perform(call, () -> worker.ask("asking", caseId, call.text()));
        if (!refusals.isEmpty()) {
          problems.add(call + " was answered after " + refusals);
        }
      } catch (WorkerProcess.Gone e) {
        refusals.add(String.valueOf(e.getMessage()));
      }
    });
  }

  private void pay(WorkerProcess worker, String caseId) {
    for (String words : List.of("start", "confirm", "await")) {
      if (!refusals.isEmpty() && !words.equals("start")) {
        return;
      }
      try {
        String answer = worker.ask("paying", caseId, words);
        if (!refusals.isEmpty()) {
          problems.add(words + " of " + caseId + " was answered after " + refusals);
        }
        if (words.equals("await")) {
          ends.put(caseId, answer);
        } else {
          ends.putIfAbsent(caseId, Paying.NOT_YET);
        }
      } catch (WorkerProcess.Gone e) {
        refusals.add(String.valueOf(e.getMessage()));
      }
    }
  }

  /// Why there were no answers, in the order of the questions.
  List<String> refusals() {
    return List.copyOf(refusals);
  }

  /// Everything that is not as it was told.
  List<String> problems(WorkerProcess worker, WitnessProcess witness) {
    List<String> found = new ArrayList<>(problems);
    found.addAll(new Aftermath(worker, () -> own(witness.ledger())).paid(ends));
    found.addAll(Aftermath.asked(asked));
    found.addAll(Aftermath.verified(worker));
    return found;
  }

  /// What the cases of this script asked for.
  private Ledger own(Ledger all) {
    return new Ledger(
        all.entries().stream()
            .filter(entry -> entry.caseId().startsWith("paid-" + name + "-"))
            .toList());
  }
}
