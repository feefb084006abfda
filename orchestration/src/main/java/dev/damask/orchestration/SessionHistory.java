package dev.damask.orchestration;

import dev.damask.exec.ProcessView;
import dev.damask.exec.TraceEvent;
import dev.damask.orchestration.ProcessInstance.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Tells what a case did in the words of its graph, from its trace and its state.
final class SessionHistory {
  private final Map<Long, ProcessInstance> processes = new TreeMap<>();
  private final List<LogLine> log = new ArrayList<>();
  private final SessionKey key;
  private int root = -1;

  SessionHistory(SessionKey key, List<TraceEvent> trace) {
    this.key = key;
    trace.forEach(this::add);
  }

  private void add(TraceEvent event) {
    switch (event.kind()) {
      case SPAWNED -> {
        root = root < 0 ? event.scope() : root;
        String detail = event.detail();
        int parent = detail.indexOf("parent=") + "parent=".length();
        int end = detail.indexOf(' ', parent);
        String digits = end < 0 ? detail.substring(parent) : detail.substring(parent, end);
        put(event, Status.WAITING, Optional.empty(), Long.parseLong(digits));
      }
      case EVALUATED -> {
        String[] words = event.detail().split(" ", 3);
        boolean ended = words[1].equals("valid") || words[1].equals("invalid");
        put(
            event,
            ended ? Status.DONE : Status.ABORTED,
            ended ? Optional.of(words[1].equals("valid")) : Optional.empty(),
            -1);
        log.add(
            new LogLine(
                key, number(event), event.subject(), words[1], words.length > 2 ? words[2] : "{}"));
      }
      case ABORTED -> put(event, Status.ABORTED, Optional.empty(), -1);
      default -> {}
    }
  }

  private static long number(TraceEvent event) {
    return Long.parseLong(event.detail().split(" ", 2)[0]);
  }

  private void put(TraceEvent event, Status status, Optional<Boolean> valid, long parent) {
    long number = number(event);
    ProcessInstance old = processes.get(number);
    processes.put(
        number,
        new ProcessInstance(
            number,
            old == null ? Math.max(0, parent) : old.parent(),
            event.subject(),
            status,
            valid,
            old == null ? (event.scope() == root ? 0 : event.scope()) : old.group(),
            0,
            OptionalLong.empty(),
            List.of(),
            Map.of()));
  }

  /// Lays what is known of live processes over what was traced; in an ended case nobody lives.
  List<ProcessInstance> processes(List<ProcessView> live, boolean ended) {
    for (ProcessView view : live) {
      processes.put(
          (long) view.number(),
          new ProcessInstance(
              view.number(),
              view.parent(),
              view.step(),
              view.running() ? Status.RUNNING : Status.WAITING,
              Optional.empty(),
              view.group(),
              view.fromGroup(),
              view.due(),
              view.delivered(),
              plain(view.payload().toMap())));
    }
    if (ended) {
      processes.replaceAll((number, process) ->
          process.status().isTerminal()
              ? process
              : new ProcessInstance(
                  number,
                  process.parent(),
                  process.step(),
                  Status.ABORTED,
                  Optional.empty(),
                  process.group(),
                  0,
                  OptionalLong.empty(),
                  List.of(),
                  Map.of()));
    }
    return List.copyOf(processes.values());
  }

  /// A payload without the keys of the engine.
  static Map<String, @Nullable Object> plain(Map<String, @Nullable Object> payload) {
    Map<String, @Nullable Object> own = new TreeMap<>(payload);
    own.keySet().removeIf(name -> name.startsWith("_"));
    return own;
  }

  List<LogLine> log() {
    return log;
  }
}
