package dev.damask.session;

import dev.damask.event.ProcessEvent;
import dev.damask.event.ProcessView;
import dev.damask.event.TraceEvent;
import dev.damask.history.TracePart;
import dev.damask.json.Json;
import dev.damask.json.JsonWriter;
import dev.damask.session.ProcessInstance.Status;
import dev.damask.source.JsonTexts;
import dev.damask.step.StepScope;
import dev.damask.step.StepTask;
import dev.damask.value.StepOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/// The past of a session, from the events of its trace.
final class SessionHistory {
  /// What the trace tells of one process.
  private static final class Told {
    final long number;
    final long parent;
    final String step;
    final int group;
    Status status = Status.WAITING;
    Optional<Boolean> valid = Optional.empty();
    String reason = "";
    long updatedMillis;

    Told(long number, long parent, String step, int group) {
      this.number = number;
      this.parent = parent;
      this.step = step;
      this.group = group;
    }

    void end(Status how, Optional<Boolean> judged, String why) {
      status = how;
      valid = judged;
      reason = why;
    }

    /// As it is without a state beside the trace.
    ProcessInstance instance(OptionalLong killedAt) {
      return new ProcessInstance(
          number,
          parent,
          step,
          status,
          valid,
          group,
          0,
          OptionalLong.empty(),
          List.of(),
          List.of(),
          Map.of(),
          Map.of(),
          reason,
          updatedMillis,
          killedAt);
    }
  }

  private final Map<Long, Told> processes = new TreeMap<>();

  /// The processes by the tokens they are in the machine.
  private final Map<Integer, Told> tokens = new HashMap<>();

  private final List<LogLine> log = new ArrayList<>();
  private final List<SentWakeUp> wakeUps = new ArrayList<>();
  private final SessionKey key;
  private final LogLine.Graph graph;
  private int root = -1;
  private long lastMillis;
  private long cost;
  private Optional<String> cancelledBy = Optional.empty();

  SessionHistory(SessionKey key, LogLine.Graph graph, List<TracePart> trace) {
    this.key = key;
    this.graph = graph;
    for (TracePart part : trace) {
      lastMillis = part.atMillis(); // a late result of an ended session is not traced
      for (TraceEvent event : part.events()) {
        add(event);
        Told process = tokens.get(event.token());
        if (process != null) {
          process.updatedMillis = part.atMillis();
        }
      }
    }
  }

  private void add(TraceEvent event) {
    switch (event.process()) {
      case ProcessEvent.Spawned(var number, var parent, _) -> {
        root = root < 0 ? event.scope() : root;
        int group = event.scope() == root ? 0 : event.scope();
        Told process = new Told(number, parent, event.subject(), group);
        processes.put(process.number, process);
        tokens.put(event.token(), process);
      }
      case ProcessEvent.Evaluated(var number, var outcome) -> evaluated(event, number, outcome);
      case ProcessEvent.Aborted(var number, var reason) ->
          end(number, Status.ABORTED, Optional.empty(), reason);
      case ProcessEvent.Sent(var number, var note) -> sent(event.subject(), number, note);
      case ProcessEvent.Received(var tag, _) -> {
        if (event.subject().equals(SessionControl.DENY)) {
          denied(tag);
        }
      }
      case ProcessEvent.Awaits _, ProcessEvent.Joined _, ProcessEvent.Woken _ -> {}
      case null -> {}
    }
  }

  private void evaluated(TraceEvent event, int number, StepOutcome outcome) {
    switch (outcome) {
      case VALID -> end(number, Status.DONE, Optional.of(true), reason(event));
      case INVALID -> end(number, Status.DONE, Optional.of(false), reason(event));
      case ABORTED -> end(number, Status.ABORTED, Optional.empty(), "by its rule");
      case CANCELLED -> {
        end(number, Status.ABORTED, Optional.empty(), "its rule cancelled the session");
        cancelledBy = Optional.of(event.subject());
      }
    }
    cost += event.evaluation() == null ? 0 : event.evaluation().cost();
    add(number, event.subject(), outcome.word(), body(event));
  }

  /// Why a step was invalid; empty when it was not.
  private static String reason(TraceEvent event) {
    TraceEvent.Evaluation evaluation = event.evaluation();
    String more = evaluation == null ? "" : evaluation.note().more();
    if (more.isEmpty()) {
      return "";
    }
    Map<?, ?> told = object(more);
    return told.get("soft") instanceof String soft
        ? soft
        : told.get("failedRule") instanceof String rule ? "the rule " + rule + " is false" : "";
  }

  private void add(long number, String step, String outcome, String body) {
    log.add(new LogLine(key, number, step, outcome, body, graph, lastMillis));
  }

  /// The wake-ups of a step belong to the log line of its evaluation.
  private void sent(String step, int number, String note) {
    if (note.isEmpty()) {
      return;
    }
    log.replaceAll(
        line -> line.iteration() == number ? line.withBody(joined(line.body(), note)) : line);
    if (object(note).get(StepTask.WAKE_UPS) instanceof List<?> all) {
      for (Object each : all) {
        wakeUps.add(SentWakeUp.of(number, step, (Map<?, ?>) each));
      }
    }
  }

  /// @param tag of the message, a JSON object
  private void denied(String tag) {
    Map<?, ?> told = object(tag);
    Map<String, Object> body = new TreeMap<>();
    body.put("caller", String.valueOf(told.get("caller")));
    body.put("rule", String.valueOf(told.get("rule")));
    add(0, String.valueOf(told.get("step")), LogLine.DENIED, JsonWriter.canonical(body));
  }

  private static Map<?, ?> object(String json) {
    Json read = JsonTexts.readOrNull(json);
    return read != null && JsonTexts.value(read) instanceof Map<?, ?> map ? map : Map.of();
  }

  /// The wake-ups that the steps have sent and that have been answered, in order.
  List<SentWakeUp> wakeUps() {
    return wakeUps;
  }

  /// What all evaluations have cost.
  long cost() {
    return cost;
  }

  private static String body(TraceEvent event) {
    TraceEvent.Evaluation evaluation = event.evaluation();
    if (evaluation == null) {
      return "{}";
    }
    String payload = JsonWriter.canonical(evaluation.payload().toMap());
    String own = "{\"cost\":" + evaluation.cost() + ",\"payload\":" + payload + "}";
    return joined(joined(own, evaluation.note().more()), evaluation.note().origin());
  }

  /// One JSON object of two; the other may be empty.
  private static String joined(String one, String other) {
    return other.isEmpty() ? one : one.substring(0, one.length() - 1) + "," + other.substring(1);
  }

  private void end(int number, Status status, Optional<Boolean> valid, String why) {
    Told process = processes.get((long) number);
    if (process != null) {
      process.end(status, valid, why);
    }
  }

  /// Returns the step whose rule cancelled the session; empty if none did.
  Optional<String> cancelledBy() {
    return cancelledBy;
  }

  /// Returns the processes of an open session. The state has the live ones, the trace the others.
  List<ProcessInstance> processes(List<ProcessView> live) {
    Map<Long, ProcessInstance> all = new TreeMap<>();
    processes.forEach((number, told) -> all.put(number, told.instance(OptionalLong.empty())));
    for (ProcessView view : live) {
      Told told = processes.get((long) view.number());
      all.put((long) view.number(), alive(view, told == null ? 0 : told.updatedMillis));
    }
    return List.copyOf(all.values());
  }

  private ProcessInstance alive(ProcessView view, long updatedMillis) {
    return new ProcessInstance(
        view.number(),
        view.parent(),
        view.step(),
        view.running() ? Status.RUNNING : Status.WAITING,
        Optional.empty(),
        view.group(),
        view.fromGroup(),
        view.due(),
        view.expected(),
        view.delivered(),
        failed(view),
        StepScope.plain(view.payload().toMap()),
        "",
        updatedMillis,
        OptionalLong.empty());
  }

  /// The processes of a session that has ended: nobody outlives it.
  List<ProcessInstance> ended() {
    List<ProcessInstance> all = new ArrayList<>();
    for (Told told : processes.values()) {
      boolean isKilled = !told.status.isTerminal();
      if (isKilled) {
        told.end(Status.ABORTED, Optional.empty(), "the session has ended");
        told.updatedMillis = lastMillis;
      }
      all.add(told.instance(isKilled ? OptionalLong.of(lastMillis) : OptionalLong.empty()));
    }
    return all;
  }

  /// The sources of an open join that were aborted and have not delivered since.
  private Map<String, String> failed(ProcessView target) {
    Map<String, String> failed = new TreeMap<>();
    for (Told each : processes.values()) {
      if (target.fromGroup() != 0
          && each.group == target.fromGroup()
          && each.status == Status.ABORTED
          && target.expected().contains(each.step)
          && !target.delivered().contains(each.step)) {
        failed.put(each.step, "aborted");
      }
    }
    return failed;
  }

  List<LogLine> log() {
    return log;
  }
}
