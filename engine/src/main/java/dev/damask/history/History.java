package dev.damask.history;

import dev.damask.effect.Receipt;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.StateView;
import dev.damask.event.Tracer;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.program.ProgramHash;
import dev.damask.schedule.InOrder;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseSource;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.PastStates;
import dev.damask.store.RevisionGoneException;
import dev.damask.store.Store;
import dev.damask.store.StoredState;
import dev.damask.value.Context;
import dev.damask.value.Decoder.DamagedBytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The past of one case, as far as its store keeps it. It is a snapshot: revisions that are
/// committed later are not in it, and a revision may go while it is read.
///
/// States at commits are read from the store. States between two commits are computed: the machine
/// runs from the commit before with the journal's inputs. Pure tasks run again for that; effects
/// never do. An object of this class must be used by one thread at a time.
public final class History {
  private static final int PAGE = 512;

  private final CaseSource store;
  private final CaseRecord record;
  private final MachineSource machines;
  private final @Nullable PastStates past; // null if the state is in one piece, as before format 5
  private final long journal; // since which revision inputs are kept; 0 for none

  // Read when they are needed first.
  private @Nullable List<Entry> entries;
  private @Nullable LongFunction<@Nullable Receipt> receipts;

  /// A position and how to get there.
  ///
  /// @param count how many inputs of the commit were applied
  private record Entry(HistoryPosition position, JournalCodec.@Nullable Part part, int count) {}

  @SuppressWarnings("exports") // the machine is for our own modules
  public History(CaseSource store, CaseRecord record, MachineSource machines) {
    this.store = store;
    this.record = record;
    this.machines = machines;
    this.past = PastStates.of(store, record);
    this.journal = record.state() instanceof StoredState.Head head ? head.journal() : 0;
  }

  /// Returns the id of the case.
  public String caseId() {
    return record.caseId();
  }

  /// Returns the oldest revision that can be read.
  public long oldest() {
    return past == null ? record.revision() : past.oldest();
  }

  /// Returns the last revision.
  public long newest() {
    return record.revision();
  }

  /// Returns the revisions that can be read, the oldest first.
  public List<Long> revisions() {
    List<Long> all = new ArrayList<>();
    for (long revision = oldest(); revision <= newest(); revision++) {
      all.add(revision);
    }
    return all;
  }

  /// Returns the state of a revision. Throws `RevisionGoneException` if the revision is not kept,
  /// and `CorruptCaseException` if its records are corrupt.
  public StateView state(long revision) {
    return read(revision).view();
  }

  /// As [#state], as the machine has it.
  @SuppressWarnings("exports") // the state is for our own modules
  public ExecState read(long revision) {
    return checked(
        revision,
        () -> {
          if (past != null) {
            return past.read(revision, this::machine).state();
          }
          if (revision != record.revision()) {
            throw gone(revision);
          }
          return record.decode(machine(record.program()));
        });
  }

  private Machine machine(ProgramHash program) {
    return machines.machine(program, InOrder.INSTANCE, null);
  }

  private <T> T checked(long revision, Supplier<T> action) {
    try {
      return action.get();
    } catch (DamagedBytes e) {
      CaseRecord now = store.record(caseId()).orElse(null);
      if (now == null || revision < new History(store, now, machines).oldest()) {
        throw gone(revision); // it has gone while it was read
      }
      throw new CorruptCaseException(caseId(), String.valueOf(e.getMessage()), e);
    }
  }

  private RuntimeException gone(long revision) {
    CaseRecord now = store.record(caseId()).orElse(record);
    long oldest = new History(store, now, machines).oldest();
    return new RevisionGoneException(caseId(), revision, oldest, now.revision());
  }

  /// Returns the program of a revision. Throws as [#state] does.
  public ProgramHash program(long revision) {
    return checked(revision, () -> past == null ? record.program() : past.program(revision));
  }

  /// Returns the states that can be read or computed, in the order of time. Without a journal there
  /// is one for each kept revision. Throws `CorruptCaseException` if the journal is corrupt.
  public List<HistoryPosition> positions() {
    return entries().stream().map(Entry::position).toList();
  }

  private List<Entry> entries() {
    if (entries == null) {
      entries = checked(newest(), () -> new Timeline().entries());
    }
    return entries;
  }

  /// Builds the list of positions.
  private final class Timeline {
    private final List<Entry> all = new ArrayList<>();
    private long millis = record.startedMillis();

    List<Entry> entries() {
      for (long from = oldest(); from <= newest(); from += PAGE) {
        long to = Math.min(newest(), from + PAGE - 1);
        List<JournalCodec.Part> parts = parts(from, to);
        int next = 0;
        for (long revision = from; revision <= to; revision++) {
          boolean isKnown = journal > 0 && revision >= journal;
          add(revision, isKnown ? parts.get(next++) : null);
        }
      }
      return all;
    }

    private void add(long revision, JournalCodec.@Nullable Part part) {
      if (part == null || part.entries().isEmpty()) {
        add(part, revision, HistoryPosition.Cause.COMMIT, "", 0, true);
        return;
      }
      // The state before the oldest kept revision is gone.
      boolean isComputed = revision > oldest() || revision == 1;
      List<JournalEntry> inputs = part.entries();
      for (int i = 0; i < inputs.size(); i++) {
        JournalEntry each = inputs.get(i);
        millis = each.atMillis().orElse(millis);
        millis =
            switch (each.event()) {
              case JournalEntry.Event.Applied(Input.Advance(var at)) -> at;
              case JournalEntry.Event.Paused(var at, _) -> at;
              case JournalEntry.Event.Resumed(var at) -> at;
              default -> millis;
            };
        boolean isLast = i == inputs.size() - 1;
        if (isLast || isComputed) {
          add(part, revision, Causes.of(each), Causes.subject(each), i + 1, isLast);
        }
      }
    }

    private void add(
        JournalCodec.@Nullable Part part,
        long revision,
        HistoryPosition.Cause cause,
        String subject,
        int count,
        boolean isCommitted) {
      HistoryPosition position =
          new HistoryPosition(all.size() + 1L, revision, isCommitted, millis, cause, subject);
      all.add(new Entry(position, part, count));
    }
  }

  /// The inputs of kept commits, without a gap.
  private List<JournalCodec.Part> parts(long from, long to) {
    long first = Math.max(from, journal);
    if (journal == 0 || first > to) {
      return List.of();
    }
    List<JournalCodec.Part> parts = new ArrayList<>();
    for (Store.RevisionInputs each : store.journal(caseId(), first, to)) {
      if (each.revision() != first + parts.size()) {
        break;
      }
      parts.add(
          JournalCodec.decode(
              record.key(),
              each.revision(),
              each.bytes(),
              hash -> store.value(caseId(), hash),
              this::receipt));
    }
    if (parts.size() != to - first + 1) {
      throw new DamagedBytes(
          "revision " + (first + parts.size()) + ": its journal entry is missing");
    }
    return parts;
  }

  private @Nullable Receipt receipt(long number) {
    if (receipts == null) {
      receipts = JournalCodec.byNumber(store.receipts(caseId()));
    }
    return receipts.apply(number);
  }

  /// Reads the journal with everything it refers to. Throws `CorruptCaseException` if it is
  /// corrupt.
  public void verify() {
    for (long from = Math.max(1, journal); from <= newest(); from += PAGE) {
      long first = from;
      checked(newest(), () -> parts(first, Math.min(newest(), first + PAGE - 1)));
    }
  }

  /// Copies the case with its whole past, for tests that repeat it. Throws `CorruptCaseException`
  /// if the case is corrupt.
  public CaseFile file() {
    return checked(newest(), () -> CaseFile.of(store, record));
  }

  /// Returns the state at a position. Throws `IllegalArgumentException` if there is no such
  /// position, `RevisionGoneException` if a revision that it needs has gone, and
  /// `CorruptCaseException` if a record that it needs is corrupt.
  public PastState at(long number) {
    Entry entry = entry(number);
    return entry.position.isCommitted()
        ? shown(entry.position, read(entry.position.revision()), Optional.empty())
        : computed(entry);
  }

  /// As [#at], as the machine has it. Throws `IllegalStateException` if the repetition diverges.
  @SuppressWarnings("exports") // the state is for our own modules
  public ExecState stateAt(long number) {
    Entry entry = entry(number);
    if (entry.position.isCommitted()) {
      return read(entry.position.revision());
    }
    CommitRepetition repetition = before(entry);
    try {
      run(repetition, entry.part, 0, entry.count);
      ExecState committed = read(entry.position.revision());
      repetition.advance(nextSteps(entry, committed), runAfter(entry, committed));
      return repetition.state();
    } catch (CommitRepetition.Diverged e) {
      throw new IllegalStateException(
          "case %s: position %d cannot be repeated: %s"
              .formatted(caseId(), number, e.divergence.sentence()),
          e);
    }
  }

  /// Returns how many receipts the case had at a position. Throws as [#at] does.
  public long receiptsAt(long number) {
    List<Entry> all = entries();
    long millis = entry(number).position.atMillis();
    long before = 0;
    long after = Long.MAX_VALUE;
    for (Entry each : all) {
      long used =
          each.part == null || each.count == 0
              ? 0
              : each.part.entries().get(each.count - 1).receipt();
      if (used > 0 && each.position.number() <= number) {
        before = Math.max(before, used);
      } else if (used > 0) {
        after = Math.min(after, used - 1);
      }
    }
    // Receipts that no input refers to, such as those of cancelled tasks, are found by their time.
    for (Receipt receipt : store.receipts(caseId())) {
      if (receipt.number() > before
          && receipt.number() <= after
          && receipt.body().atMillis() <= millis) {
        before = receipt.number();
      }
    }
    return before;
  }

  /// Returns the context that the case was started with. Throws `IllegalStateException` if its
  /// journal does not begin with the case.
  public Context input() {
    JournalCodec.Part first = journal == 1 ? parts(1, 1).getFirst() : null;
    if (first != null
        && !first.entries().isEmpty()
        && first.entries().getFirst().event() instanceof JournalEntry.Event.Started(_, var input)) {
      return input;
    }
    throw new IllegalStateException(
        "case %s: its input was not kept; start a case with the input instead".formatted(caseId()));
  }

  private Entry entry(long number) {
    List<Entry> all = entries();
    if (number < 1 || number > all.size()) {
      throw new IllegalArgumentException(
          "case %s: there is no position %d; choose one from 1 to %d"
              .formatted(caseId(), number, all.size()));
    }
    return all.get((int) number - 1);
  }

  private PastState computed(Entry entry) {
    ExecState committed = read(entry.position.revision());
    CommitRepetition repetition = before(entry);
    try {
      run(repetition, entry.part, 0, entry.count);
      long steps = nextSteps(entry, committed);
      repetition.advance(steps, runAfter(entry, committed));
      ExecState state = StateCodec.copy(repetition.machine(), repetition.state());
      Optional<PastState.Divergence> divergence = Optional.empty();
      try {
        JournalCodec.Part part = entry.part;
        run(repetition, part, entry.count, part == null ? 0 : part.entries().size());
        compare(repetition, committed, runAtEnd(part, committed));
      } catch (CommitRepetition.Diverged e) {
        divergence = Optional.of(e.divergence);
      }
      return shown(entry.position, state, divergence);
    } catch (CommitRepetition.Diverged e) {
      return shown(entry.position, repetition.state(), Optional.of(e.divergence));
    }
  }

  private static long nextSteps(Entry entry, ExecState committed) {
    return entry.part == null || entry.count == entry.part.entries().size()
        ? committed.steps()
        : entry.part.entries().get(entry.count).steps();
  }

  /// How the machine was run after the last input of a position.
  private static JournalEntry.MachineRun runAfter(Entry entry, ExecState committed) {
    return entry.part == null || entry.count == entry.part.entries().size()
        ? runAtEnd(entry.part, committed)
        : entry.part.entries().get(entry.count).run();
  }

  private static JournalEntry.MachineRun runAtEnd(
      JournalCodec.@Nullable Part part, ExecState committed) {
    if (committed.isDone() || committed.isBlocked()) {
      return JournalEntry.MachineRun.TO_REST;
    }
    return part != null && part.ranAtEnd()
        ? JournalEntry.MachineRun.SOME
        : JournalEntry.MachineRun.NOT;
  }

  /// The repetition of a commit, at the commit before.
  private CommitRepetition before(Entry entry) {
    long revision = entry.position.revision();
    ExecState state = revision == 1 ? null : read(revision - 1);
    ProgramHash program = state == null ? program(1) : state.program().hash();
    CommitRepetition repetition = new CommitRepetition(machines, program, state, null);
    if (entry.part != null) {
      repetition.begin(entry.part);
    }
    return repetition;
  }

  private void run(
      CommitRepetition repetition, JournalCodec.@Nullable Part part, int from, int to) {
    for (int i = from; part != null && i < to; i++) {
      repetition.apply(part.entries().get(i), record.startedMillis());
    }
  }

  private static void compare(
      CommitRepetition repetition, ExecState committed, JournalEntry.MachineRun run) {
    repetition.advance(committed.steps(), run);
    if (!Arrays.equals(StateCodec.encode(repetition.state()), StateCodec.encode(committed))) {
      StateDiff diff = StateDiff.of(committed.view(), repetition.state().view());
      throw repetition.diverged(
          "the state differs from the committed one: "
              + (diff.changes().isEmpty() ? "in its counters" : diff.changes().getFirst()));
    }
  }

  private PastState shown(
      HistoryPosition position, ExecState state, Optional<PastState.Divergence> divergence) {
    return new PastState(
        position,
        state.view(),
        state.pendingEffects(),
        Causes.waits(machine(state.program().hash()).outcome(state)),
        divergence);
  }

  /// Returns what differs between the states at two positions. Throws as [#at] does.
  public StateDiff diff(long before, long after) {
    return StateDiff.of(at(before).view(), at(after).view());
  }

  /// Computes what would have happened after a position with other inputs, in memory and without
  /// effects: each input is applied after the case has run until it waits. Throws as [#at] does.
  public PastState fork(long number, Input... inputs) {
    return fork(number, () -> {}, inputs);
  }

  /// Computes what would have happened, as [#fork(long, Input...)], for a caller that may end it.
  ///
  /// @param between is called before every call of the machine; what it throws ends the fork
  public PastState fork(long number, Runnable between, Input... inputs) {
    Entry entry = entry(number);
    CommitRepetition repetition;
    if (entry.position.isCommitted()) {
      ExecState state = read(entry.position.revision());
      repetition = new CommitRepetition(machines, state.program().hash(), state, null);
      repetition.begin(
          new JournalCodec.Part(entry.position.revision(), List.of(), false, new int[0]));
    } else {
      repetition = before(entry);
      run(repetition, entry.part, 0, entry.count);
      repetition.begin(
          new JournalCodec.Part(entry.position.revision(), List.of(), false, new int[0]));
    }
    repetition.rest(between);
    List<Reply> replies = new ArrayList<>();
    for (Input input : inputs) {
      replies.add(repetition.machine().apply(repetition.state(), input));
      repetition.rest(between);
    }
    return shown(entry.position, repetition.state(), Optional.empty()).withReplies(replies);
  }

  /// Repeats every kept commit whose inputs are known and compares the states. Returns the first
  /// difference; empty if there is none.
  public Optional<PastState.Divergence> replay() {
    for (Entry entry : entries()) {
      boolean isRepeatable = entry.position.revision() > oldest() || oldest() == 1;
      if (entry.position.isCommitted() && entry.part != null && isRepeatable) {
        CommitRepetition repetition = before(entry);
        try {
          run(repetition, entry.part, 0, entry.part.entries().size());
          ExecState committed = read(entry.position.revision());
          compare(repetition, committed, runAtEnd(entry.part, committed));
        } catch (CommitRepetition.Diverged e) {
          return Optional.of(e.divergence);
        }
      }
    }
    return Optional.empty();
  }

  /// Receives the inputs of a whole case while they are repeated.
  @SuppressWarnings("exports") // the state is for our own modules
  public interface Narrator {
    /// An entry is about to be applied.
    void before(JournalEntry entry, ExecState state);

    /// An entry was applied and the case has run until the next one.
    void after(JournalEntry entry, Reply reply, ExecState state);
  }

  /// Repeats a case from its start to its last commit. Throws `IllegalStateException` if the
  /// journal does not begin with the case, or if the repetition diverges.
  @SuppressWarnings("exports") // the state is for our own modules
  public ExecState retell(Narrator narrator, @Nullable Tracer tracer) {
    if (journal != 1) {
      throw new IllegalStateException(
          "case %s: its journal %s; only a case whose inputs were all kept can be repeated"
              .formatted(
                  caseId(), journal == 0 ? "was not kept" : "begins at revision " + journal));
    }
    return checked(
        newest(), () -> new Retelling(record, machines, this::parts, narrator, tracer).run());
  }
}
