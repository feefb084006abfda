package dev.damask.intake;

import dev.damask.caller.CaseBudget;
import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseOrigin;
import dev.damask.caller.CasePause;
import dev.damask.store.CaseRecord;
import dev.damask.term.Limits;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What was agreed with a case, and what it has used of it. A case without anything agreed and
/// without trouble in its past has no byte of it in the store.
///
/// @param deadlineMillis when it fails; never once it has
/// @param effects how many were started; counted only under a budget
/// @param cost what they cost
/// @param crashes how often the process died while it moved the case, since its last commit
/// @param parent the task that started it; null if no case did
/// @param pause why it is paused; null if it is not
/// @param origin where its state was copied from; null if it was started with an input
public record CaseTerms(
    CaseOptions options,
    long deadlineMillis,
    long effects,
    BigDecimal cost,
    int crashes,
    @Nullable ParentLink parent,
    @Nullable CasePause pause,
    @Nullable CaseOrigin origin) {
  public static final CaseTerms NONE =
      new CaseTerms(CaseOptions.DEFAULT, CaseRecord.NEVER, 0, BigDecimal.ZERO, 0, null, null, null);

  /// How many limits older versions wrote.
  private static final int LIMITS_BEFORE = 8;

  /// How many values of a pause older versions wrote.
  private static final int PAUSE_BEFORE = 4;

  /// What most cases agree on: a trace level and nothing else; one byte in the store.
  private static final List<CaseTerms> TRACED =
      Stream.of(TraceLevel.values())
          .map(CaseOptions.DEFAULT::withTrace)
          .map(options ->
              new CaseTerms(options, CaseRecord.NEVER, 0, BigDecimal.ZERO, 0, null, null, null))
          .toList();

  public static CaseTerms of(CaseOptions options, long now) {
    long deadline = options.deadline().map(time -> plus(now, time)).orElse(CaseRecord.NEVER);
    CaseTerms terms = new CaseTerms(options, deadline, 0, BigDecimal.ZERO, 0, null, null, null);
    int traced = TRACED.indexOf(terms);
    return traced >= 0 ? TRACED.get(traced) : terms.equals(NONE) ? NONE : terms;
  }

  /// A time after another, or never when it is too far away to be written.
  public static long plus(long millis, Duration time) {
    long sum = millis + Math.min(time.toMillis(), Long.MAX_VALUE / 4);
    return sum < millis ? CaseRecord.NEVER : sum;
  }

  public CaseTerms withoutDeadline() {
    return new CaseTerms(options, CaseRecord.NEVER, effects, cost, crashes, parent, pause, origin);
  }

  public CaseTerms withTraceparent(String value) {
    return new CaseTerms(
        options.withTraceparent(value),
        deadlineMillis,
        effects,
        cost,
        crashes,
        parent,
        pause,
        origin);
  }

  public CaseTerms withCrashes(int number) {
    return new CaseTerms(options, deadlineMillis, effects, cost, number, parent, pause, origin);
  }

  public CaseTerms withParent(ParentLink link) {
    return new CaseTerms(options, deadlineMillis, effects, cost, crashes, link, pause, origin);
  }

  public CaseTerms withEffect(BigDecimal itsCost) {
    return options.budget().equals(CaseBudget.NONE)
        ? this
        : new CaseTerms(
            options,
            deadlineMillis,
            effects + 1,
            cost.add(itsCost).stripTrailingZeros(),
            crashes,
            parent,
            pause,
            origin);
  }

  /// Returns the same terms of a case that is paused or no longer is.
  ///
  /// @param next null if the case is not paused
  public CaseTerms withPause(@Nullable CasePause next) {
    return new CaseTerms(options, deadlineMillis, effects, cost, crashes, parent, next, origin);
  }

  public boolean isPaused() {
    return pause != null && !pause.isResumed();
  }

  public CaseTerms withOrigin(CaseOrigin from) {
    return new CaseTerms(options, deadlineMillis, effects, cost, crashes, parent, pause, from);
  }

  public Bytes encode() {
    if (equals(NONE)) {
      return Bytes.of();
    }
    int traced = TRACED.indexOf(this);
    if (traced >= 0) {
      return Bytes.of((byte) traced);
    }
    Encoder out = new Encoder();
    Context terms =
        Context.empty()
            .with("seed", options.seed().isPresent() ? options.seed().getAsLong() : null)
            .with("quantum", options.quantum().isPresent() ? options.quantum().getAsInt() : null)
            .with("trace", options.trace().map(Enum::name).orElse(null))
            .with("deadline", options.deadline().map(Duration::toMillis).orElse(null))
            .with("limits", options.limits().map(CaseTerms::list).orElse(null))
            .with("allow", options.allow().orElse(null))
            .with("maxEffects", boxed(options.budget().effects()))
            .with("maxTime", options.budget().time().map(Duration::toMillis).orElse(null))
            .with("maxCost", options.budget().cost().orElse(null))
            .with("due", deadlineMillis)
            .with("effects", effects)
            .with("cost", cost)
            .with("crashes", crashes)
            .withAll(
                options
                    .traceparent()
                    .map(each -> Context.of("traceparent", each))
                    .orElse(Context.empty()));
    Context all = parent == null ? terms : terms.with("parent", parent.list());
    all = pause == null ? all : all.with("pause", list(pause));
    out.context(origin == null ? all : all.with("origin", list(origin)));
    return Bytes.of(out.toBytes());
  }

  private static @Nullable Object boxed(OptionalLong number) {
    return number.isPresent() ? number.getAsLong() : null;
  }

  /// Older versions wrote no bytes.
  private static List<Object> list(CasePause pause) {
    List<Object> before =
        List.of(pause.sinceMillis(), pause.reason(), (long) pause.inputs(), pause.isResumed());
    return pause.bytes() == 0
        ? before
        : Stream.concat(before.stream(), Stream.of(pause.bytes())).toList();
  }

  private static @Nullable CasePause pause(@Nullable Object stored) {
    return stored instanceof List<?> list
        ? new CasePause(
            (Long) list.get(0),
            (String) list.get(1),
            Math.toIntExact((Long) list.get(2)),
            (Boolean) list.get(3),
            list.size() > PAUSE_BEFORE ? (Long) list.get(PAUSE_BEFORE) : 0)
        : null;
  }

  private static List<Object> list(CaseOrigin origin) {
    return List.of(origin.caseId(), origin.position());
  }

  private static @Nullable CaseOrigin origin(@Nullable Object stored) {
    return stored instanceof List<?> list
        ? new CaseOrigin((String) list.get(0), (Long) list.get(1))
        : null;
  }

  private static List<Long> list(Limits limits) {
    return List.of(
        (long) limits.nodes(),
        (long) limits.branches(),
        (long) limits.callDepth(),
        (long) limits.instances(),
        (long) limits.openEffects(),
        (long) limits.placeTokens(),
        (long) limits.contextBytes(),
        limits.steps(),
        (long) limits.bufferedBytes(),
        (long) limits.resultBytes());
  }

  public static CaseTerms decode(Bytes bytes) {
    if (bytes.length() == 0) {
      return NONE;
    }
    if (bytes.length() == 1) {
      return TRACED.get(new Decoder(bytes.toArray()).below(TRACED.size()));
    }
    Context read = new Decoder(bytes.toArray()).context();
    CaseBudget budget =
        new CaseBudget(
            number(read, "maxEffects"),
            duration(read, "maxTime"),
            Optional.ofNullable((BigDecimal) read.get("maxCost")));
    CaseOptions options =
        new CaseOptions(
            number(read, "seed"),
            number(read, "quantum").isPresent()
                ? OptionalInt.of((int) number(read, "quantum").getAsLong())
                : OptionalInt.empty(),
            Optional.ofNullable((String) read.get("trace")).map(TraceLevel::valueOf),
            duration(read, "deadline"),
            Optional.ofNullable((List<?>) read.get("limits")).map(CaseTerms::limits),
            Optional.ofNullable((List<?>) read.get("allow"))
                .map(list -> list.stream().map(String::valueOf).toList()),
            budget,
            Optional.ofNullable((String) read.get("traceparent")));
    return new CaseTerms(
        options,
        number(read, "due").orElseThrow(),
        number(read, "effects").orElseThrow(),
        (BigDecimal) java.util.Objects.requireNonNull(read.get("cost")),
        (int) number(read, "crashes").orElseThrow(),
        ParentLink.of(read.get("parent")),
        pause(read.get("pause")),
        origin(read.get("origin")));
  }

  private static OptionalLong number(Context context, String key) {
    return context.get(key) instanceof Long number ? OptionalLong.of(number) : OptionalLong.empty();
  }

  private static Optional<Duration> duration(Context context, String key) {
    OptionalLong millis = number(context, key);
    return millis.isPresent()
        ? Optional.of(Duration.ofMillis(millis.getAsLong()))
        : Optional.empty();
  }

  private static Limits limits(List<?> list) {
    long[] n = list.stream().mapToLong(each -> (Long) each).toArray();
    Limits read =
        new Limits(
            (int) n[0],
            (int) n[1],
            (int) n[2],
            (int) n[3],
            (int) n[4],
            (int) n[5],
            (int) n[6],
            n[7]);
    return n.length == LIMITS_BEFORE ? read : read.withBytes((int) n[8], (int) n[9]);
  }
}
