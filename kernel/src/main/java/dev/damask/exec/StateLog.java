package dev.damask.exec;

import dev.damask.encoding.ContextNumbers;
import dev.damask.encoding.Hashing;
import dev.damask.encoding.SharedValues;
import dev.damask.state.Frame;
import dev.damask.state.Part;
import dev.damask.state.PartMarks.Entries;
import dev.damask.state.PartMarks.Entries.Stored;
import dev.damask.state.Token;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import dev.damask.value.SharedValue;
import dev.damask.value.Sum;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Writes the state of one case as a row of records: a *base* is the whole state, a *delta* is what
/// was changed since the record before. A delta costs what changed, whatever the size of the case.
///
/// A state consists of parts: what every revision changes, each frame, each token, and each entry
/// of a list or table that can grow. The setters of the state mark the parts they change. The *sum*
/// of a case is the sum of the hashes of its parts; every record has the sum before it and the sum
/// after it. Contexts are defined once in a row of records, by what differs from another one, and
/// values above a few hundred bytes are stored by themselves, under their hashes.
///
/// A change that no mark was set for is in neither the delta nor the sum. The next base finds it:
/// it computes the sum again from the whole state.
public final class StateLog {
  /// The format of the records: the one after the formats of [StateCodec].
  static final int FORMAT = 4;

  static final int DELTA = 0;
  static final int BASE = 1;

  /// In the place of a kind: the part is gone.
  static final int GONE = 128;

  /// Below this size nothing is worth a base.
  static final int SIZE_MIN = 4_096;

  private final ExecState state;
  private final Hashing hashing;
  private final SharedValues values;
  private final PartWriter writer;
  private ContextNumbers contexts;
  private final Encoder parts = new Encoder();
  private int partCount;
  private final Sum start;
  private Sum sum;
  private Stored head = new Stored(0, 0, 0);

  /// About how many bytes the parts need.
  private long size;

  /// The same when the last base was written, and the bytes of that base and of the deltas since.
  private long sizeAtBase;

  private long baseBytes;
  private long deltaBytes;
  private boolean isNew = true;

  /// The sum that the first record of a new log follows.
  private Sum before = Sum.ZERO;

  private long encoded;

  /// The context of the state after the last record; null until it is asked for.
  private @Nullable TrackedContext tracked;

  /// What the hashes of a case depend on.
  ///
  /// @param valueKey the key with which values are hashed; the same for the whole store
  public record CaseKey(String caseId, long startedMillis, Sum valueKey) {
    /// With the key of a store that has none.
    public CaseKey(String caseId, long startedMillis) {
      this(caseId, startedMillis, Sum.ZERO);
    }
  }

  /// One record to store.
  ///
  /// @param added the values that must be stored with it
  /// @param unused for a base: values of the records before that it does not refer to
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  public record Change(
      boolean isBase,
      byte[] bytes,
      Sum before,
      Sum after,
      List<SharedValue> added,
      List<Sum> unused) {}

  /// The log of a state of which nothing is stored.
  public static StateLog of(ExecState state, CaseKey key) {
    return new StateLog(state, key, new SharedValues(), null);
  }

  /// The log of a state that takes the place of another one, as after a migration: its first record
  /// is a base that follows the last record of the other.
  public static StateLog after(StateLog before, ExecState state, CaseKey key) {
    StateLog log = new StateLog(state, key, before.values, null);
    log.before = before.sum;
    return log;
  }

  StateLog(ExecState state, CaseKey key, SharedValues values, @Nullable ContextNumbers contexts) {
    this.state = state;
    this.hashing = new Hashing(key.caseId(), key.valueKey());
    this.values = values;
    this.contexts = contexts == null ? new ContextNumbers(hashing, values) : contexts;
    this.writer = new PartWriter(state, this.contexts);
    var program = state.program.hash();
    this.start = hashing.start(program.high(), program.low(), key.startedMillis());
    this.sum = start;
    StateWalk.adopt(state);
  }

  public ExecState state() {
    return state;
  }

  /// As [ExecState#context]. After a record it costs what was changed since the last call, in a
  /// state with later changes the size of the state.
  public Context context() {
    if (state.status().isEnded() || isNew || !state.root.marks.isClear()) {
      return state.context();
    }
    if (tracked == null) {
      tracked = new TrackedContext(state);
    }
    return tracked.context();
  }

  /// How many keys were written in the context so far.
  long contextWrites() {
    return tracked == null ? 0 : tracked.writes();
  }

  /// The sum after the last record.
  public Sum sum() {
    return sum;
  }

  /// About how many bytes a base would have now.
  public long size() {
    return Math.max(0, baseBytes + size - sizeAtBase);
  }

  /// About how many bytes the whole state has, with its values.
  public long weight() {
    return size;
  }

  /// How many parts were encoded so far, changed or not.
  long encoded() {
    return encoded;
  }

  /// Whether the next record should be a base: there is none, or the last one or the deltas since
  /// outweigh the present state.
  public boolean needsBase() {
    long present = Math.max(SIZE_MIN, size());
    return isNew || deltaBytes > present || baseBytes > 2 * present;
  }

  /// A base if one is needed, else a delta.
  public Change next() {
    return needsBase() ? base() : delta();
  }

  /// What was changed since the last record.
  public Change delta() {
    if (isNew) {
      throw new IllegalStateException("the first record of a case is a base");
    }
    Sum before = sum;
    writeMarked();
    byte[] bytes = record(DELTA, before);
    deltaBytes += bytes.length;
    return new Change(false, bytes, before, sum, values.takeAdded(), List.of());
  }

  /// The whole state. Throws [UnmarkedChange] if its sum is another one than the marked changes
  /// have led to.
  public Change base() {
    Sum last = isNew ? before : sum;
    if (!isNew) {
      writeMarked();
      parts.clear();
      partCount = 0;
      values.takeUsed();
      contexts.takeDefinitions(new Encoder());
    }
    Sum marked = sum;
    if (contexts.all().size() > 1) { // that of a new case has only the empty context
      contexts = new ContextNumbers(hashing, values);
    }
    writer.use(contexts, true);
    scan();
    writer.use(contexts, false);
    if (!isNew && !marked.equals(sum)) {
      throw new UnmarkedChange(
          "the state was changed without a mark: its sum is " + sum + ", expected " + marked);
    }
    byte[] bytes = record(BASE, last);
    isNew = false;
    baseBytes = bytes.length;
    deltaBytes = 0;
    sizeAtBase = size;
    return new Change(true, bytes, last, sum, values.takeAdded(), values.keepOnly(lastUsed));
  }

  private List<Sum> lastUsed = List.of();
  private List<SharedValue> referred = List.of();

  /// The next record refers to values of the case that are not in its state, such as payloads of
  /// open effects: it lists them, so that they stay as long as it does.
  public void refer(List<SharedValue> values) {
    referred = List.copyOf(values);
  }

  private byte[] record(int kind, Sum before) {
    referred.forEach(value -> values.use(new SharedValues.Use(value.hash(), value.bytes())));
    referred = List.of();
    lastUsed = values.takeUsed();
    Encoder out = new Encoder(96 + parts.length());
    out.octet(FORMAT);
    out.octet(kind);
    if (kind == BASE) {
      out.fixed(state.program.hash().high());
      out.fixed(state.program.hash().low());
    }
    before.write(out);
    sum.write(out);
    out.natural(lastUsed.size());
    lastUsed.forEach(value -> value.write(out));
    contexts.takeDefinitions(out);
    out.natural(partCount);
    out.raw(parts);
    byte[] bytes = out.toBytes();
    release();
    return bytes;
  }

  /// Between two records a log keeps no buffers: there are many waiting cases, and a large value
  /// would leave large ones.
  private void release() {
    parts.release();
    partCount = 0;
    writer.release();
    contexts.release();
    hashing.release();
  }

  /// The bytes of the last base and of the deltas since, and what the state has grown by since.
  record Sizes(long base, long deltas, long growth) {
    static Sizes read(Decoder in) {
      return new Sizes(in.natural(), in.natural(), in.whole());
    }
  }

  void writeSizes(Encoder out) {
    out.natural(baseBytes);
    out.natural(deltaBytes);
    out.whole(size - sizeAtBase);
  }

  /// Takes over what was stored: the state was read from its records.
  void loaded(Sizes sizes) {
    writer.use(contexts, false);
    scan();
    release();
    isNew = false;
    baseBytes = sizes.base;
    deltaBytes = sizes.deltas;
    sizeAtBase = size - sizes.growth;
  }

  /// Whether the last record has all of the state.
  boolean isWritten() {
    return !isNew && state.root.marks.isClear() && !state.hasNews();
  }

  Hashing hashing() {
    return hashing;
  }

  SharedValues values() {
    return values;
  }

  ContextNumbers contexts() {
    return contexts;
  }

  private void writeMarked() {
    List<Part> touched = state.root.marks.take();
    touched.sort(Comparator.comparingInt(StateLog::id));
    for (Part part : touched) {
      if (part.isGone()) {
        writer.remember(part);
        remove(part);
      }
    }
    for (Part part : touched) {
      if (part instanceof Frame frame && !frame.closed) {
        mark(frame);
      }
    }
    if (tracked != null) {
      tracked.update(touched);
    }
    for (Part part : touched) {
      if (part instanceof Token token && !token.isGone()) {
        mark(token);
      }
    }
    entries(null, state.root.marks.ofCase(), state.root.marks.ofCase().take());
    head();
  }

  private static int id(Part part) {
    return part instanceof Frame frame ? frame.id : ((Token) part).id;
  }

  private void mark(Frame frame) {
    if (frame.isTouched) {
      writer.remember(frame);
      frame(frame);
    }
    if (frame.entries != null && frame.entries.isTouched()) {
      long[] keys = frame.entries.take();
      entries(frame, frame.entries, keys);
      if (tracked != null) {
        tracked.update(frame, keys);
      }
    }
  }

  private void mark(Token token) {
    writer.remember(token);
    token(token);
  }

  /// Writes the whole state, and computes its sum and size again.
  private void scan() {
    sum = start;
    size = 0;
    head = new Stored(0, 0, 0);
    state.root.marks.take();
    for (Frame frame : StateWalk.frames(state)) {
      forget(frame);
      frame(frame);
      if (frame.entries != null) {
        frame.entries.take();
        frame.entries.stored.clear();
      }
      entries(frame, null, StateWalk.entries(frame));
    }
    for (Token token : StateWalk.tokens(state)) {
      forget(token);
      token(token);
    }
    Entries own = state.root.marks.ofCase();
    own.take();
    own.stored.clear();
    entries(null, own, StateWalk.entries(state));
    head();
  }

  private static void forget(Part part) {
    part.written = Part.Written.NONE;
  }

  private void frame(Frame frame) {
    writer.frame(frame);
    put(frame, PartWriter.FRAME, frame.id);
  }

  private void token(Token token) {
    writer.token(token);
    put(token, PartWriter.TOKEN, token.id);
  }

  private void put(Part part, int kind, int id) {
    part.isTouched = false;
    encoded++;
    Sum hash = writer.hash(hashing, kind, id, 0);
    Part.Written before = part.written;
    boolean isSame =
        before.size() > 0 && hash.high() == before.high() && hash.low() == before.low();
    part.written = writer.written(hash, isSame ? before.size() : writer.size());
    if (isSame) {
      return;
    }
    if (before.size() > 0) {
      sum = sum.minus(before.hash());
      size -= before.size();
    }
    sum = sum.plus(hash);
    size += part.written.size();
    begin(kind, id);
    writer.write(parts);
  }

  private void begin(int kind, long owner) {
    partCount++;
    parts.octet(kind);
    parts.natural(owner);
  }

  private void remove(Part part) {
    part.isTouched = false;
    if (part.written.size() > 0) {
      sum = sum.minus(part.written.hash());
      size -= part.written.size();
      boolean isFrame = part instanceof Frame;
      begin(GONE | (isFrame ? PartWriter.FRAME : PartWriter.TOKEN), id(part));
      forget(part);
    }
    if (part instanceof Frame frame && frame.entries != null) {
      for (Iterator<Stored> all = frame.entries.stored.values().iterator(); all.hasNext(); ) {
        dropped(all.next());
        all.remove();
      }
      frame.entries.take();
    }
  }

  private void dropped(Stored entry) {
    sum = sum.minus(new Sum(entry.high(), entry.low()));
    size -= entry.size();
  }

  /// @param frame null for the entries of the case
  /// @param table null when the frame may have none
  private void entries(@Nullable Frame frame, @Nullable Entries table, long[] keys) {
    for (long key : keys) {
      Entries stored = table != null ? table : Objects.requireNonNull(frame).entries();
      boolean isThere = frame == null ? writer.entry(key) : writer.entry(frame, key);
      entry(frame == null ? 0 : frame.id, stored, key, isThere);
    }
  }

  private void entry(int owner, Entries table, long key, boolean isThere) {
    Stored before = table.stored.get(key);
    encoded++;
    if (!isThere) {
      if (before != null) {
        table.stored.remove(key);
        dropped(before);
        begin(GONE | Entries.kind(key), owner);
        parts.natural(Entries.number(key));
      }
      return;
    }
    Sum hash = writer.hash(hashing, Entries.kind(key), owner, Entries.number(key));
    if (before != null) {
      if (before.high() == hash.high() && before.low() == hash.low()) {
        return;
      }
      dropped(before);
    }
    sum = sum.plus(hash);
    size += writer.size();
    table.stored.put(key, new Stored(hash.high(), hash.low(), writer.size()));
    begin(Entries.kind(key), owner);
    parts.natural(Entries.number(key));
    writer.write(parts);
  }

  private void head() {
    writer.head();
    Sum hash = writer.hash(hashing, PartWriter.HEAD, 0, 0);
    dropped(head);
    sum = sum.plus(hash);
    size += writer.size();
    head = new Stored(hash.high(), hash.low(), writer.size());
    begin(PartWriter.HEAD, 0);
    writer.write(parts);
  }

  /// A part was changed that no mark was set for.
  public static final class UnmarkedChange extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    UnmarkedChange(String message) {
      super(message);
    }
  }
}
