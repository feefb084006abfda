package dev.damask.cases;

import dev.damask.program.Program;
import dev.damask.store.CaseRecord;
import dev.damask.store.DamagedCase;
import dev.damask.store.Store;
import dev.damask.task.Decoder;
import java.util.Collection;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/// The cases of a shard that are in memory, those used last at the end, and the way back from the
/// store for the others.
final class Residents {
  private final LinkedHashMap<String, LiveCase> live = new LinkedHashMap<>(16, 0.75f, true);
  private final Store store;
  private final Programs programs;
  private final Machines machines;
  private final int max;
  private volatile int size; // written by the shard, read by whoever asks for statistics

  Residents(Store store, Programs programs, Machines machines, int max) {
    this.store = store;
    this.programs = programs;
    this.machines = machines;
    this.max = max;
  }

  /// Null when it is not in memory.
  @Nullable LiveCase get(String caseId) {
    return live.get(caseId);
  }

  void put(LiveCase each) {
    live.put(each.id, each);
  }

  void remove(String caseId) {
    live.remove(caseId);
  }

  Collection<LiveCase> all() {
    return live.values();
  }

  int size() {
    return size;
  }

  /// Reads a case and keeps it; null when there is none or its program is missing.
  @Nullable LiveCase read(String caseId) {
    CaseRecord record = store.load(caseId).orElse(null);
    Program program = record == null ? null : programs.find(programOf(record));
    if (record == null || program == null) {
      return null;
    }
    LiveCase loaded = load(record, program);
    live.put(caseId, loaded);
    return loaded;
  }

  private static dev.damask.program.ProgramHash programOf(CaseRecord record) {
    try {
      return record.program();
    } catch (Decoder.DamagedBytes e) {
      throw new DamagedCase(record.caseId(), "its state has no program", e);
    }
  }

  LiveCase load(CaseRecord record, Program program) {
    try {
      Terms terms = Terms.decode(record.terms());
      var machine = machines.machine(program, terms.options(), record.revision());
      return Views.load(record, terms, machine, store.intents(record.caseId()));
    } catch (Decoder.DamagedBytes | ClassCastException e) {
      throw new DamagedCase(record.caseId(), "its state does not decode", e);
    }
  }

  /// Lets a case go that is over: hardly anybody asks for it again.
  void releaseEnded(LiveCase each) {
    if (each.state.isDone() && each.isEvictable()) {
      live.remove(each.id, each);
    }
  }

  /// Lets cases go that nothing is lost of.
  void evict() {
    size = live.size();
    if (live.size() <= max) {
      return;
    }
    var all = live.values().iterator();
    int surplus = live.size() - max;
    for (int looked = 0; surplus > 0 && looked < 2 * surplus + 16 && all.hasNext(); looked++) {
      if (all.next().isEvictable()) {
        all.remove();
        surplus--;
      }
    }
  }
}
