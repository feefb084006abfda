package dev.damask.orchestration;

import dev.damask.exec.ProcessView;
import dev.damask.exec.TraceEvent;
import dev.damask.orchestration.ProcessInstance.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
        int group = event.scope() == root ? 0 : event.scope();
        long number = number(event);
        processes.put(
            number,
            ProcessInstance.of(
                number, Long.parseLong(digits), event.subject(), Status.WAITING, group));
      }
      case EVALUATED -> {
        String[] words = event.detail().split(" ", 3);
        boolean judged = words[1].equals("valid") || words[1].equals("invalid");
        Optional<Boolean> valid = judged ? Optional.of(words[1].equals("valid")) : Optional.empty();
        end(event, judged ? Status.DONE : Status.ABORTED, valid, judged ? "" : "by its rule");
        log.add(
            new LogLine(
                key, number(event), event.subject(), words[1], words.length > 2 ? words[2] : "{}"));
      }
      case ABORTED -> end(event, Status.ABORTED, Optional.empty(), words(event, 1));
      default -> {}
    }
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
    processes.computeIfPresent(
        number(event), (number, process) -> process.ended(status, valid, why));
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
              view.expected(),
              view.delivered(),
              failed(view),
              plain(view.payload().toMap()),
              ""));
    }
    if (ended) {
      processes.replaceAll((number, process) ->
          process.status().isTerminal()
              ? process
              : process.ended(Status.ABORTED, Optional.empty(), "the session has ended"));
    }
    return List.copyOf(processes.values());
  }

  /// The sources of an open join that were aborted and have not delivered since.
  private Map<String, String> failed(ProcessView target) {
    Map<String, String> failed = new TreeMap<>();
    for (ProcessInstance each : processes.values()) {
      if (target.fromGroup() != 0
          && each.group() == target.fromGroup()
          && each.status() == Status.ABORTED
          && target.expected().contains(each.step())
          && !target.delivered().contains(each.step())) {
        failed.put(each.step(), "aborted");
      }
    }
    return failed;
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
