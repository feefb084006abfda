package dev.damask.cases;

import dev.damask.caller.CaseView;
import dev.damask.effect.EffectIntent;
import dev.damask.event.StateView;
import dev.damask.exec.Machine;
import dev.damask.exec.StateImage;
import dev.damask.exec.StateLog;
import dev.damask.intake.CaseTerms;
import dev.damask.intake.FrozenCases;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.store.CaseRecord;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.term.Limits;
import dev.damask.value.Decoder;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The cases of a shard that are in memory, those used last at the end, and the way back from the
/// store for the others. Cases that wait are frozen when there are many ([FrozenCases]).
final class CaseCache {
  /// How many idle cases are kept ready to move.
  static final int IDLE_MAX = 512;

  private final LinkedHashMap<String, LiveCase> live = new LinkedHashMap<>(16, 0.75f, true);
  private final FrozenCases frozen = new FrozenCases();

  /// Cases that were idle when their last commit became durable, or when they were read; each once.
  private final ArrayDeque<LiveCase> idle = new ArrayDeque<>();

  private final Store store;
  private final Programs programs;
  private final Machines machines;
  private final int max;
  private long thaws;
  private volatile int size; // written by the shard, read by any thread

  CaseCache(Store store, Programs programs, Machines machines, int max) {
    this.store = store;
    this.programs = programs;
    this.machines = machines;
    this.max = max;
  }

  /// Null when it is not in memory. A frozen case is thawed.
  @Nullable LiveCase get(String caseId) {
    LiveCase known = live.get(caseId);
    if (known == null) {
      return frozen.contains(caseId) ? thaw(caseId) : null;
    }
    known.isUsed = true;
    return known;
  }

  /// Null when it is not in memory, or frozen.
  @Nullable LiveCase ready(String caseId) {
    return live.get(caseId);
  }

  /// Whether it is in memory, frozen or not.
  boolean contains(String caseId) {
    return live.containsKey(caseId) || frozen.contains(caseId);
  }

  /// Null when the image cannot be read: the store has the case too.
  private @Nullable LiveCase thaw(String caseId) {
    try {
      LiveCase thawed = frozen.thaw(caseId, this::thawed);
      if (thawed != null) {
        machines.resumed(thawed);
        frozen.remove(caseId);
        live.put(caseId, thawed);
        list(thawed);
        thaws++;
      }
      return thawed;
    } catch (Decoder.DamagedBytes e) {
      System.getLogger(Engine.class.getName())
          .log(System.Logger.Level.ERROR, "case " + caseId + " is read from the store again", e);
      frozen.remove(caseId);
      return null;
    }
  }

  private LiveCase thawed(CaseRecord record, List<EffectIntent> intents, byte[] image) {
    Program program = Objects.requireNonNull(programs.find(record.program()));
    CaseTerms terms = CaseTerms.decode(record.terms());
    var machine = machines.machine(record.caseId(), program, terms.options(), record.revision());
    StateLog log = StateImage.read(machine, record.key(), image);
    LiveCase thawed = Views.load(record, log, terms, machine, intents);
    thawed.indexing.attributes(programs::attributes);
    return thawed;
  }

  void put(LiveCase each) {
    each.indexing.attributes(programs::attributes);
    live.put(each.id, each);
  }

  void remove(String caseId) {
    live.remove(caseId);
    frozen.remove(caseId);
  }

  /// Drops frozen cases; the store has them.
  void dropFrozen(Predicate<String> isMeant) {
    frozen.removeIf(isMeant);
  }

  void clear() {
    live.clear();
    frozen.clear();
    idle.clear();
  }

  /// The cases that are not frozen. No caller waits for an answer from the others.
  Collection<LiveCase> all() {
    return live.values();
  }

  int size() {
    return size;
  }

  int frozen() {
    return frozen.size();
  }

  /// How many bytes the frozen cases have.
  long frozenBytes() {
    return frozen.bytes();
  }

  /// How many frozen cases were thawed.
  long thaws() {
    return thaws;
  }

  /// Reads a case and keeps it; null when there is none or its program is missing.
  @Nullable LiveCase read(String caseId) {
    LiveCase loaded = peek(caseId);
    if (loaded != null) {
      keep(loaded);
    }
    return loaded;
  }

  /// Keeps a case that was read.
  void keep(LiveCase loaded) {
    machines.resumed(loaded);
    frozen.remove(loaded.id);
    live.put(loaded.id, loaded);
    list(loaded);
  }

  /// Reads a case and does not keep it; null as above.
  @Nullable LiveCase peek(String caseId) {
    return stored(caseId).map(this::decoded).orElse(null);
  }

  /// Reads a case and does not keep it, with its code or with the description of its program; null
  /// if there is neither.
  @Nullable LiveCase peekDescribed(String caseId) {
    return stored(caseId).map(this::readable).orElse(null);
  }

  private @Nullable LiveCase readable(Store.LoadedCase loaded) {
    LiveCase read = decoded(loaded);
    return read == null ? opaque(loaded) : read;
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
    if (program == null) {
      return null;
    }
    LiveCase read = load(loaded.record(), program, loaded.intents());
    read.intents.elsewhere().addAll(loaded.elsewhere());
    return read;
  }

  /// The status of a case whose code is missing: as far as the description of its program shows.
  CaseView described(Store.LoadedCase loaded) {
    LiveCase read = opaque(loaded);
    return read == null ? Views.of(loaded.record()) : Views.described(read, loaded.record());
  }

  /// The state of a stored case, read with its code or with the description of its program.
  StateView stateOf(Store.LoadedCase loaded) {
    LiveCase read = readable(loaded);
    if (read == null) {
      throw new IllegalStateException(Views.missing(loaded.record()));
    }
    return read.state.view();
  }

  /// A case that can be looked at and not moved; null without a description.
  private @Nullable LiveCase opaque(Store.LoadedCase loaded) {
    Program program = programs.descriptions().find(programOf(loaded.record()));
    if (program == null) {
      return null;
    }
    // Its own machine: those of the shard run the code of their programs.
    return load(
        loaded.record(),
        loaded.intents(),
        terms -> {
          Limits limits = terms.options().limits().orElse(program.limits());
          return new Machine(program, new Machine.Options(InOrder.INSTANCE, limits, false, null));
        });
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
    return load(
        record,
        intents,
        terms -> machines.machine(record.caseId(), program, terms.options(), record.revision()));
  }

  private LiveCase load(
      CaseRecord record, List<EffectIntent> intents, Function<CaseTerms, Machine> maker) {
    try {
      CaseTerms terms = CaseTerms.decode(record.terms());
      Machine machine = maker.apply(terms);
      LiveCase read = Views.load(record, record.open(machine), terms, machine, intents);
      read.indexing.attributes(programs::attributes);
      return read;
    } catch (Decoder.DamagedBytes | ClassCastException e) {
      throw new CorruptCaseException(record.caseId(), "its state does not decode", e);
    } catch (StoreException e) {
      throw e;
    } catch (RuntimeException | Error e) { // it concerns this case and no other
      throw new CorruptCaseException(record.caseId(), "reading it failed with " + e, e);
    }
  }

  /// The last commit of a case is durable. A case that is over leaves memory, because hardly any
  /// caller asks for it again; an idle one may be frozen.
  void settled(LiveCase each) {
    if (!each.isEvictable()) {
      return;
    }
    if (each.state.isDone()) {
      live.remove(each.id, each);
    } else {
      list(each);
    }
  }

  private void list(LiveCase each) {
    if (!each.isListed) {
      each.isListed = true;
      idle.addLast(each);
    }
  }

  /// Freezes idle cases until so many are left that are ready to move. A case that was used since
  /// it was listed is listed again, and one that is not idle any more is left out.
  void freeze(int left) {
    for (int all = idle.size(); all > 0 && idle.size() > left; all--) {
      LiveCase each = idle.removeFirst();
      each.isListed = false;
      if (live.get(each.id) != each || !each.isFreezable()) {
        continue;
      }
      if (each.isUsed && left > 0) {
        each.isUsed = false;
        list(each);
      } else if (freeze(each)) {
        live.remove(each.id);
      }
    }
  }

  private boolean freeze(LiveCase each) {
    StateLog log = each.log();
    CaseRecord record = each.record;
    return log != null && record != null && frozen.freeze(record, log, each.intents.all());
  }

  /// Removes cases from memory that the store has all of, those used last at the end.
  void evict() {
    if (idle.size() > IDLE_MAX) {
      freeze(IDLE_MAX);
    }
    int surplus = live.size() + frozen.size() - max;
    if (surplus > 0) {
      frozen.drop(surplus);
      evict(live.size() + frozen.size() - max);
    }
    size = live.size() + frozen.size();
  }

  private void evict(int count) {
    int surplus = count;
    var all = live.values().iterator();
    for (int looked = 0; surplus > 0 && looked < 2 * count + 16 && all.hasNext(); looked++) {
      if (all.next().isEvictable()) {
        all.remove();
        surplus--;
      }
    }
  }
}
