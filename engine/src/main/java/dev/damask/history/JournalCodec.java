package dev.damask.history;

import dev.damask.effect.Receipt;
import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.event.TokenId;
import dev.damask.exec.SharedContexts;
import dev.damask.exec.StateLog;
import dev.damask.history.JournalEntry.Event;
import dev.damask.program.ProgramHash;
import dev.damask.store.JournalPart;
import dev.damask.task.RetryHint;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Decoder.DamagedBytes;
import dev.damask.value.EffectSpec;
import dev.damask.value.Encoder;
import dev.damask.value.SharedValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// Encodes the inputs of a commit. A result or failure that a receipt of the same commit has is
/// written as the number of the receipt.
final class JournalCodec {
  static final int FORMAT = 1;

  // The kinds of entries. The numbers are stored.
  static final int STARTED = 0;
  static final int DONE = 1;
  static final int DONE_INLINE = 2;
  static final int WANTS = 3;
  static final int FAILED = 4;
  static final int FAILED_INLINE = 5;
  static final int PARKED = 6;
  static final int RETRIED = 7;
  static final int SENT = 8;
  static final int CANCEL_TASK = 9;
  static final int SIGNAL = 10;
  static final int KILL = 11;
  static final int FAIL = 12;
  static final int ADD = 13;
  static final int CLOSE = 14;
  static final int TIME = 15;
  static final int MIGRATED = 16;
  static final int SCRIPT_STEP = 17;
  static final int SCRIPT_TAKE = 18;
  static final int CHANGE_DATA = 19;
  static final int PAUSED = 20;
  static final int RESUMED = 21;

  /// Added to a kind: the clock was set before.
  static final int TIMED = 128;

  /// Added to a kind: the machine was run for a while before, or until nothing moved by itself.
  static final int RAN = 64;

  static final int RESTED = 32;

  private final SharedContexts contexts;
  private final Encoder out = new Encoder(48);
  private long millis;
  private long steps;

  private JournalCodec(StateLog.CaseKey key) {
    this.contexts = new SharedContexts(key);
    this.millis = key.startedMillis();
  }

  /// @param receipts of the commit
  static JournalPart encode(
      StateLog.CaseKey key, long revision, InputLog log, List<Receipt> receipts) {
    JournalCodec codec = new JournalCodec(key);
    Encoder out = codec.out;
    out.octet(FORMAT);
    List<JournalEntry> entries = log.entries();
    out.natural(entries.size());
    for (JournalEntry entry : entries) {
      codec.write(entry, receipts);
    }
    out.flag(log.ranAtEnd());
    int[] choices = log.choices();
    out.natural(choices.length);
    for (int choice : choices) {
      out.natural(choice);
    }
    return JournalPart.of(key.caseId(), revision, out, codec.contexts.used());
  }

  private void write(JournalEntry entry, List<Receipt> receipts) {
    switch (entry.event()) {
      case Event.Started(var program, var context) -> {
        begin(STARTED, entry);
        out.fixed(program.high());
        out.fixed(program.low());
        contexts.write(out, context);
      }
      case Event.Migrated(var target, var mapping) -> {
        begin(MIGRATED, entry);
        out.fixed(target.high());
        out.fixed(target.low());
        names(mapping.tasks());
        names(mapping.scopes());
        names(mapping.places());
        names(mapping.definitions());
      }
      case Event.Applied(var input) -> write(entry, input, receipts);
      case Event.Paused(var at, var reason) -> {
        begin(PAUSED, entry);
        out.whole(at);
        out.text(reason);
      }
      case Event.Resumed(var at) -> {
        begin(RESUMED, entry);
        out.whole(at);
      }
    }
  }

  private void begin(int kind, JournalEntry entry) {
    int run =
        switch (entry.run()) {
          case NOT -> 0;
          case SOME -> RAN;
          case TO_REST -> RESTED;
        };
    out.octet(kind | run | (entry.atMillis().isPresent() ? TIMED : 0));
    if (entry.atMillis().isPresent()) {
      time(entry.atMillis().getAsLong());
    }
    out.natural(entry.steps() - steps);
    steps = entry.steps();
  }

  private void time(long at) {
    out.whole(at - millis);
    millis = at;
  }

  private void names(SortedMap<String, String> names) {
    out.natural(names.size());
    names.forEach((before, after) -> {
      out.text(before);
      out.text(after);
    });
  }

  private void write(JournalEntry entry, Input input, List<Receipt> receipts) {
    switch (input) {
      case Input.TaskDone(var token, var result) -> {
        long receipt = receiptOf(result, receipts);
        token(receipt > 0 ? DONE : DONE_INLINE, entry, token);
        if (receipt > 0) {
          out.natural(receipt);
        } else {
          contexts.write(out, result);
        }
      }
      case Input.TaskWants(var token, var effect, var resume) -> {
        token(WANTS, entry, token);
        out.text(effect.type());
        contexts.write(out, effect.with());
        out.flag(effect.key() != null);
        if (effect.key() != null) {
          out.text(effect.key());
        }
        contexts.write(out, resume);
      }
      case Input.TaskFailed failed -> failed(entry, failed, receipts);
      case Input.TaskParked(var token, var reason) -> {
        token(PARKED, entry, token);
        out.text(reason);
      }
      case Input.TaskRetried(var token) -> token(RETRIED, entry, token);
      case Input.TaskSent(var token, var isSent) -> {
        token(SENT, entry, token);
        out.flag(isSent);
      }
      case Input.CancelTask(var token) -> token(CANCEL_TASK, entry, token);
      case Input.ScriptStep(var token, var kind, var name, var detail) -> {
        token(SCRIPT_STEP, entry, token);
        out.octet(kind.number());
        out.text(name);
        out.text(detail);
      }
      case Input.ScriptTake(var token, var place, var position) -> {
        token(SCRIPT_TAKE, entry, token);
        out.text(place);
        out.natural(position);
      }
      case Input.ChangeData(var token, var values, var reason) -> {
        token(CHANGE_DATA, entry, token);
        contexts.write(out, values);
        out.text(reason);
      }
      case Input.Signal(var place, var payload) -> {
        begin(SIGNAL, entry);
        out.text(place);
        contexts.write(out, payload);
      }
      case Input.Kill(var name, var complete, var reason) -> {
        begin(KILL, entry);
        out.text(name);
        out.flag(complete);
        out.text(reason);
      }
      case Input.Fail(var reason, var detail) -> {
        begin(FAIL, entry);
        out.text(reason);
        out.text(detail);
      }
      case Input.AddInstance(var name, var item, var hasItem) -> {
        begin(ADD, entry);
        out.text(name);
        out.flag(hasItem);
        contexts.value(out, item);
      }
      case Input.CloseInstances(var name) -> {
        begin(CLOSE, entry);
        out.text(name);
      }
      case Input.Advance(var at) -> {
        begin(TIME, entry);
        time(at);
      }
    }
  }

  private void token(int kind, JournalEntry entry, TokenId token) {
    begin(kind, entry);
    out.natural(token.number());
  }

  private void failed(JournalEntry entry, Input.TaskFailed failed, List<Receipt> receipts) {
    long receipt = failed.hint().equals(RetryHint.NONE) ? receiptOf(failed, receipts) : 0;
    token(receipt > 0 ? FAILED : FAILED_INLINE, entry, failed.token());
    if (receipt > 0) {
      out.natural(receipt);
      return;
    }
    out.text(failed.reason());
    out.text(failed.detail());
    out.flag(failed.hint().isPermanent());
    out.natural(failed.hint().afterMillis());
  }

  /// The number of the receipt with a result; 0 if there is none.
  private static long receiptOf(Context result, List<Receipt> receipts) {
    for (int i = receipts.size() - 1; i >= 0; i--) {
      if (resultOf(receipts.get(i)) == result) {
        return receipts.get(i).number();
      }
    }
    return 0;
  }

  private static @Nullable Context resultOf(Receipt receipt) {
    return switch (receipt.body().result()) {
      case Receipt.Result.Ok(var result) -> result;
      case Receipt.Result.Late(var result) -> result;
      case Receipt.Result.Duplicate(_, var result) -> result;
      default -> null;
    };
  }

  private static long receiptOf(Input.TaskFailed failed, List<Receipt> receipts) {
    for (int i = receipts.size() - 1; i >= 0; i--) {
      if (receipts.get(i).body().result() instanceof Receipt.Result.Failed(var reason, var detail)
          && reason.equals(failed.reason())
          && detail.equals(failed.detail())) {
        return receipts.get(i).number();
      }
    }
    return 0;
  }

  /// The inputs of one commit.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Part(long revision, List<JournalEntry> entries, boolean ranAtEnd, int[] choices) {}

  /// Reads what [#encode] wrote. Throws [DamagedBytes] if it is corrupt, or if a value or receipt
  /// that it refers to is missing.
  ///
  /// @param receipts returns a receipt by its number; null if there is none
  static Part decode(
      StateLog.CaseKey key,
      long revision,
      byte[] bytes,
      SharedValue.Source values,
      LongFunction<@Nullable Receipt> receipts) {
    Decoder in = new Decoder(JournalPart.content(key.caseId(), revision, bytes));
    int format = in.octet();
    if (format != FORMAT) {
      throw new DamagedBytes(
          "a journal entry has format " + format + ", this version reads format " + FORMAT);
    }
    Reading reading = new Reading(new JournalCodec(key), in, values, receipts);
    List<JournalEntry> entries = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      entries.add(reading.entry());
    }
    boolean ranAtEnd = in.flag();
    int[] choices = new int[in.count()];
    for (int i = 0; i < choices.length; i++) {
      choices[i] = in.below(Integer.MAX_VALUE);
    }
    in.requireEnd();
    return new Part(revision, List.copyOf(entries), ranAtEnd, choices);
  }

  private record Reading(
      JournalCodec state,
      Decoder in,
      SharedValue.Source values,
      LongFunction<@Nullable Receipt> receipts) {
    JournalEntry entry() {
      int octet = in.octet();
      OptionalLong at = (octet & TIMED) == 0 ? OptionalLong.empty() : OptionalLong.of(time());
      state.steps += in.natural();
      int kind = octet & ~(TIMED | RAN | RESTED);
      JournalEntry.MachineRun run =
          (octet & RESTED) != 0
              ? JournalEntry.MachineRun.TO_REST
              : (octet & RAN) != 0 ? JournalEntry.MachineRun.SOME : JournalEntry.MachineRun.NOT;
      return switch (kind) {
        case STARTED ->
            new JournalEntry(at, state.steps, run, new Event.Started(hash(), context()));
        case DONE, FAILED -> referring(at, run, kind);
        case MIGRATED ->
            new JournalEntry(
                at,
                state.steps,
                run,
                new Event.Migrated(hash(), new Mapping(names(), names(), names(), names())));
        case PAUSED ->
            new JournalEntry(at, state.steps, run, new Event.Paused(in.whole(), in.text()));
        case RESUMED -> new JournalEntry(at, state.steps, run, new Event.Resumed(in.whole()));
        default -> new JournalEntry(at, state.steps, run, new Event.Applied(input(kind)));
      };
    }

    private ProgramHash hash() {
      return new ProgramHash(in.fixed(), in.fixed());
    }

    private long time() {
      state.millis += in.whole();
      return state.millis;
    }

    private Context context() {
      return state.contexts.read(in, values);
    }

    private SortedMap<String, String> names() {
      SortedMap<String, String> names = new TreeMap<>();
      for (int left = in.count(); left > 0; left--) {
        names.put(in.text(), in.text());
      }
      return names;
    }

    private TokenId token() {
      return new TokenId(in.below(Integer.MAX_VALUE));
    }

    private JournalEntry referring(OptionalLong at, JournalEntry.MachineRun run, int kind) {
      TokenId token = token();
      long number = in.natural();
      Receipt receipt = receipts.apply(number);
      Input input = null;
      if (receipt != null && kind == DONE) {
        Context result = resultOf(receipt);
        input = result == null ? null : new Input.TaskDone(token, result);
      } else if (receipt != null
          && receipt.body().result() instanceof Receipt.Result.Failed(var reason, var detail)) {
        input = new Input.TaskFailed(token, reason, detail);
      }
      if (receipt == null || input == null) {
        throw new DamagedBytes("receipt " + number + " of a journal entry is missing");
      }
      String task = receipt.body().task();
      return new JournalEntry(at, state.steps, run, new Event.Applied(input), number, task);
    }

    private Input input(int kind) {
      return switch (kind) {
        case DONE_INLINE -> new Input.TaskDone(token(), context());
        case WANTS -> wants();
        case FAILED_INLINE ->
            new Input.TaskFailed(
                token(), in.text(), in.text(), new RetryHint(in.flag(), in.natural()));
        case PARKED -> new Input.TaskParked(token(), in.text());
        case RETRIED -> new Input.TaskRetried(token());
        case SENT -> new Input.TaskSent(token(), in.flag());
        case CANCEL_TASK -> new Input.CancelTask(token());
        case SCRIPT_STEP ->
            new Input.ScriptStep(
                token(), in.oneOf(Input.ScriptStep.Kind.byNumber()), in.text(), in.text());
        case SCRIPT_TAKE -> new Input.ScriptTake(token(), in.text(), in.below(Integer.MAX_VALUE));
        case CHANGE_DATA -> new Input.ChangeData(token(), context(), in.text());
        case SIGNAL -> new Input.Signal(in.text(), context());
        case KILL -> new Input.Kill(in.text(), in.flag(), in.text());
        case FAIL -> new Input.Fail(in.text(), in.text());
        case ADD -> add();
        case CLOSE -> new Input.CloseInstances(in.text());
        case TIME -> new Input.Advance(time());
        default -> throw in.damaged("a journal entry has no such kind");
      };
    }

    private Input wants() {
      TokenId token = token();
      String type = in.text();
      Context with = context();
      String own = in.flag() ? in.text() : null;
      return new Input.TaskWants(token, new EffectSpec(type, with, own), context());
    }

    private Input add() {
      String name = in.text();
      boolean hasItem = in.flag();
      return new Input.AddInstance(name, state.contexts.value(in, values), hasItem);
    }
  }

  /// Returns the receipts of a case by number.
  static LongFunction<@Nullable Receipt> byNumber(List<Receipt> receipts) {
    Map<Long, Receipt> all = new TreeMap<>();
    receipts.forEach(receipt -> all.put(receipt.number(), receipt));
    return all::get;
  }
}
