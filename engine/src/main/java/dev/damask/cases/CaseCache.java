package dev.damask.cases;

import dev.damask.effect.EffectIntent;
import dev.damask.intake.CaseTerms;
import dev.damask.program.Program;
import dev.damask.store.CaseRecord;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.value.Decoder;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The cases of a shard that are in memory, those used last at the end, and the way back from the
/// store for the others.
final class CaseCache {
  private final LinkedHashMap<String, LiveCase> live = new LinkedHashMap<>(16, 0.75f, true);
  private final Store store;
  private final Programs programs;
  private final Machines machines;
  private final int max;
  private volatile int size; // written by the shard, read by whoever asks for statistics

  CaseCache(Store store, Programs programs, Machines machines, int max) {
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

  void clear() {
    live.clear();
  }

  Collection<LiveCase> all() {
    return live.values();
  }

  int size() {
    return size;
  }

  /// Reads a case and keeps it; null when there is none or its program is missing.
  @Nullable LiveCase read(String caseId) {
    LiveCase loaded = peek(caseId);
    if (loaded != null) {
      machines.resumed(loaded);
      live.put(caseId, loaded);
    }
    return loaded;
  }

  /// Reads a case and does not keep it; null as above.
  @Nullable LiveCase peek(String caseId) {
    return stored(caseId).map(this::decoded).orElse(null);
  }

  /// What the store has of a case. Whatever breaks there concerns this case and no other.
  Optional<Store.LoadedCase> stored(String caseId) {
    try {
      return store.load(caseId);
    } catch (StoreException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      throw new CorruptCaseException(caseId, "reading it failed with " + e, e);
    }
  }

  /// What the store has of a case, decoded and not kept; null if its program is missing.
  @Nullable LiveCase decoded(Store.LoadedCase loaded) {
    Program program = programs.find(programOf(loaded.record()));
    return program == null ? null : load(loaded.record(), program, loaded.intents());
  }

  /// A case in memory as it was committed last, without its effects: the store may not have that
  /// commit yet.
  LiveCase lastSubmitted(LiveCase each) {
    CaseRecord stored = store.load(each.id).map(Store.LoadedCase::record).orElse(null);
    CaseRecord record = each.lastSubmitted(stored);
    return load(record, Objects.requireNonNull(programs.find(programOf(record))), List.of());
  }

  private static dev.damask.program.ProgramHash programOf(CaseRecord record) {
    try {
      return record.program();
    } catch (Decoder.DamagedBytes e) {
      throw new CorruptCaseException(record.caseId(), "its state has no program", e);
    }
  }

  private LiveCase load(CaseRecord record, Program program, List<EffectIntent> intents) {
    try {
      CaseTerms terms = CaseTerms.decode(record.terms());
      var machine = machines.machine(record.caseId(), program, terms.options(), record.revision());
      return Views.load(record, terms, machine, intents);
    } catch (Decoder.DamagedBytes | ClassCastException e) {
      throw new CorruptCaseException(record.caseId(), "its state does not decode", e);
    } catch (StoreException e) {
      throw e;
    } catch (RuntimeException | Error e) { // it concerns this case and no other
      throw new CorruptCaseException(record.caseId(), "reading it failed with " + e, e);
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
