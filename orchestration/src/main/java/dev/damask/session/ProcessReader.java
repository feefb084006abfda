package dev.damask.session;

import dev.damask.event.ProcessView;
import dev.damask.session.ProcessInstance.Status;
import dev.damask.step.StepScope;
import dev.damask.store.Store;
import dev.damask.store.Table;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/// Reads the processes of one session: the open ones from its state, the others from the rows of
/// the store's table. Its cost depends on the number of processes that are asked for.
final class ProcessReader {
  private final String caseId;
  private final Table table;
  private final SessionTotals totals;
  private final Map<Long, ProcessView> live = new HashMap<>();
  private final OptionalLong endedMillis;

  /// @param live the processes in the state of the session; none if it has ended
  ProcessReader(Store store, String caseId, List<ProcessView> live, boolean hasEnded) {
    this.caseId = caseId;
    this.table = ProcessRows.table(store, caseId);
    this.totals = SessionTotals.find(table, caseId).orElseGet(SessionTotals::new);
    live.forEach(each -> this.live.put((long) each.number(), each));
    this.endedMillis = hasEnded ? OptionalLong.of(totals.lastMillis) : OptionalLong.empty();
  }

  SessionTotals totals() {
    return totals;
  }

  /// Returns how many processes have each status.
  Map<Status, Long> counts() {
    long running = live.values().stream().filter(ProcessView::running).count();
    Map<Status, Long> counts = new TreeMap<>();
    counts.put(Status.WAITING, endedMillis.isPresent() ? 0 : live.size() - running);
    counts.put(Status.RUNNING, endedMillis.isPresent() ? 0 : running);
    counts.put(Status.DONE, totals.done);
    counts.put(Status.ABORTED, totals.aborted + killed());
    return counts;
  }

  /// Returns how many processes were open when the session ended; 0 while it is open.
  long killed() {
    return endedMillis.isEmpty() ? 0 : totals.made - totals.done - totals.aborted;
  }

  /// The processes of a view and the wake-ups that they have sent, in the order of their creation.
  record Found(List<ProcessInstance> processes, List<SentWakeUp> wakeUps) {}

  /// Returns all open processes and the latest others.
  ///
  /// @param most the maximum number of processes that are not open
  Found latest(int most) {
    Map<Long, ProcessInstance> all = new TreeMap<>();
    List<SentWakeUp> wakeUps = new ArrayList<>();
    int ended = 0;
    long wanted = Math.min((long) most + live.size(), Integer.MAX_VALUE);
    for (StoredProcess each : most == 0 ? List.<StoredProcess>of() : page(0, (int) wanted)) {
      boolean isOpen = live.containsKey(each.number());
      if (isOpen || ended < most) {
        ended += isOpen ? 0 : 1;
        all.put(each.number(), instance(each));
        wakeUps.addAll(0, each.wakeUps());
      }
    }
    live.forEach((number, view) -> {
      if (!all.containsKey(number)) {
        all.put(number, open(view, StoredProcess.find(table, caseId, number)));
      }
    });
    return new Found(List.copyOf(all.values()), wakeUps);
  }

  /// Returns a page of processes, the latest first.
  ///
  /// @param before only processes with a smaller number; 0 for the first page
  List<ProcessInstance> processes(long before, int most) {
    return page(before, most).stream().map(this::instance).toList();
  }

  private List<StoredProcess> page(long before, int most) {
    return StoredProcess.page(table, caseId, before == 0 ? totals.made + 1 : before, most);
  }

  /// Returns one process; empty if it does not exist.
  Optional<ProcessInstance> find(long number) {
    return StoredProcess.find(table, caseId, number).map(this::instance);
  }

  private ProcessInstance instance(StoredProcess stored) {
    ProcessView view = live.get(stored.number());
    return view == null ? stored.instance(endedMillis) : open(view, Optional.of(stored));
  }

  private ProcessInstance open(ProcessView view, Optional<StoredProcess> stored) {
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
        stored.map(each -> StoredProcess.changedMillis(table, caseId, each.spawn())).orElse(0L),
        OptionalLong.empty());
  }

  /// The sources of an open join that were aborted and have not delivered since.
  private Map<String, String> failed(ProcessView target) {
    Map<String, String> failed = new TreeMap<>();
    for (String step : target.fromGroup() == 0 ? List.<String>of() : target.expected()) {
      if (!target.delivered().contains(step)
          && StoredProcess.isAborted(table, caseId, target.fromGroup(), step)) {
        failed.put(step, "aborted");
      }
    }
    return failed;
  }
}
