package dev.damask.session;

import dev.damask.cases.TracePart;
import dev.damask.event.ProcessView;
import dev.damask.event.TraceEvent;
import dev.damask.json.Json;
import dev.damask.json.JsonWriter;
import dev.damask.session.ProcessInstance.Status;
import dev.damask.source.JsonTexts;
import dev.damask.step.StepScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Tells what a case did in the words of its graph, from its trace and its state.
final class SessionHistory {
  /// Why a process was aborted that took its session along.
  static final String CANCELLING = "its rule cancelled the session";

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
    switch (event.kind()) {
      case SPAWNED -> {
        root = root < 0 ? event.scope() : root;
        String detail = event.detail();
        int parent = detail.indexOf("parent=") + "parent=".length();
        int end = detail.indexOf(' ', parent);
        String digits = end < 0 ? detail.substring(parent) : detail.substring(parent, end);
        int group = event.scope() == root ? 0 : event.scope();
        Told process = new Told(number(event), Long.parseLong(digits), event.subject(), group);
        processes.put(process.number, process);
        tokens.put(event.token(), process);
      }
      case EVALUATED -> {
        String[] words = event.detail().split(" ", 2);
        boolean judged = words[1].equals("valid") || words[1].equals("invalid");
        Optional<Boolean> valid = judged ? Optional.of(words[1].equals("valid")) : Optional.empty();
        String why = words[1].equals("cancelled") ? CANCELLING : "by its rule";
        end(event, judged ? Status.DONE : Status.ABORTED, valid, judged ? reason(event) : why);
        cost += event.evaluation() == null ? 0 : event.evaluation().cost();
        add(number(event), event.subject(), words[1], body(event));
      }
      case SENT -> sent(event);
      case SIGNALLED -> {
        if (event.subject().equals(SessionControl.DENY)) {
          denied(event.detail());
        }
      }
      case ABORTED -> end(event, Status.ABORTED, Optional.empty(), words(event, 1));
      default -> {}
    }
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

  /// What a step has sent belongs to the line of its evaluation.
  private void sent(TraceEvent event) {
    String more = words(event, 1);
    if (more.isEmpty()) {
      return;
    }
    long number = number(event);
    log.replaceAll(
        line -> line.iteration() == number ? line.withBody(joined(line.body(), more)) : line);
    if (object(more).get("wakeUps") instanceof List<?> all) {
      for (Object each : all) {
        wakeUps.add(SentWakeUp.of(number, event.subject(), (Map<?, ?>) each));
      }
    }
  }

  private void denied(String detail) {
    Map<?, ?> told = object(detail.substring(0, detail.lastIndexOf(' ')));
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

  private static long number(TraceEvent event) {
    return Long.parseLong(words(event, 0));
  }

  /// The number of the process, or what stands behind it.
  private static String words(TraceEvent event, int index) {
    String[] words = event.detail().split(" ", 2);
    return index < words.length ? words[index] : "";
  }

  private void end(TraceEvent event, Status status, Optional<Boolean> valid, String why) {
    Told process = processes.get(number(event));
    if (process != null) {
      process.end(status, valid, why);
    }
  }

  /// The processes of a session that goes on: what is known of the live ones lies over what was
  /// traced.
  List<ProcessInstance> processes(List<ProcessView> live) {
    Map<Long, ProcessView> views =
        live.stream().collect(Collectors.toMap(view -> (long) view.number(), Function.identity()));
    List<ProcessInstance> all = new ArrayList<>();
    for (Told told : processes.values()) {
      ProcessView view = views.get(told.number);
      all.add(view == null ? told.instance(OptionalLong.empty()) : alive(told, view));
    }
    return all;
  }

  private ProcessInstance alive(Told told, ProcessView view) {
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
        told.updatedMillis,
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
