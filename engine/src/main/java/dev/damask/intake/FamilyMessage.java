package dev.damask.intake;

import dev.damask.program.ProgramHash;
import dev.damask.store.StoreException;
import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What a case and the cases it has started send each other, and signals to a case that arrive
/// where its code is not.
///
/// A message is a row of the store's table. The commit of the sender that decides to send it writes
/// the row; the commit of the receiver that applies it removes the row. So it is applied once,
/// whatever crashes between the two. Each message has one key: writing it twice is writing it once.
public sealed interface FamilyMessage {
  /// The kind of the table's rows of messages.
  String KIND = "message";

  /// Separates the parts of a key; a case id does not contain it.
  String SEPARATOR = "/";

  /// The case that receives it.
  String to();

  /// The case that sent it.
  String from();

  /// The execution in the parent that started the child.
  EffectId task();

  /// Starts a child case.
  ///
  /// @param workflow the name of its workflow
  /// @param program its program; empty if the sender did not know one of that name
  /// @param depth how many cases are above the child
  /// @param isGiven whether the workflow chose the id, so that another case may have it
  /// @param allow the effect types that the child may use; empty if they are not restricted
  /// @param trace the trace level of the parent; empty for the engine's
  /// @param traceparent the tracing context of the parent; empty if it has none
  record Start(
      String to,
      String from,
      EffectId task,
      String workflow,
      Optional<ProgramHash> program,
      int depth,
      boolean isDetached,
      boolean isGiven,
      Optional<List<String>> allow,
      String trace,
      Context input,
      String traceparent)
      implements FamilyMessage {}

  /// A detached child exists.
  record Started(String to, String from, EffectId task) implements FamilyMessage {}

  /// A child completed with a context.
  record Completed(String to, String from, EffectId task, Context result)
      implements FamilyMessage {}

  /// A child has no result: it could not be started, or it failed, was cancelled or is deadlocked.
  record Failed(String to, String from, EffectId task, String reason, String detail)
      implements FamilyMessage {}

  /// The task that waits for a child is gone.
  record Cancel(String to, String from, EffectId task) implements FamilyMessage {}

  /// A signal from outside that waits for an engine with the code of the case.
  ///
  /// @param task its number among the signals that wait for the case
  /// @param messageId empty if it has none
  /// @param traceparent empty if it has none
  record Signalled(
      String to, EffectId task, String place, Context payload, String messageId, String traceparent)
      implements FamilyMessage {
    /// Returns an empty text: no case has sent it.
    @Override
    public String from() {
      return "";
    }

    /// How the keys of the signals to a case begin.
    public static String prefix(String to) {
      return to + SEPARATOR + SEPARATOR;
    }
  }

  /// The order of messages from one case to another: a start comes before a cancellation.
  private int number() {
    return switch (this) {
      case Start _ -> 0;
      case Cancel _ -> 1;
      case Started _ -> 2;
      case Completed _, Failed _ -> 3;
      case Signalled _ -> 4;
    };
  }

  /// The row that stores the message.
  default TableRow row() {
    Encoder out = new Encoder();
    out.octet(kind());
    out.text(to());
    out.text(from());
    out.fixed(task().lineage());
    switch (this) {
      case Start start -> write(start, out);
      case Completed(_, _, _, var result) -> out.context(result);
      case Failed(_, _, _, var reason, var detail) -> {
        out.text(reason);
        out.text(detail);
      }
      case Signalled signalled -> {
        out.text(signalled.place);
        out.context(signalled.payload);
        out.text(signalled.messageId);
        out.text(signalled.traceparent);
      }
      case Started _, Cancel _ -> {}
    }
    return new TableRow(KIND, key(to(), from(), task(), number()), 0, Bytes.of(out.toBytes()));
  }

  /// The row of the message that started a child, for removing it.
  static TableRow startRow(FamilyMessage about) {
    return new TableRow(KIND, key(about.to(), about.from(), about.task(), 0), 0, Bytes.of());
  }

  private static String key(String to, String from, EffectId task, int number) {
    return to + SEPARATOR + from + SEPARATOR + task + SEPARATOR + number;
  }

  private int kind() {
    return switch (this) {
      case Start _ -> 1;
      case Started _ -> 2;
      case Completed _ -> 3;
      case Failed _ -> 4;
      case Cancel _ -> 5;
      case Signalled _ -> 6;
    };
  }

  private static void write(Start start, Encoder out) {
    out.text(start.workflow);
    out.flag(start.program.isPresent());
    start.program.ifPresent(hash -> {
      out.fixed(hash.high());
      out.fixed(hash.low());
    });
    out.natural(start.depth);
    out.flag(start.isDetached);
    out.flag(start.isGiven);
    out.flag(start.allow.isPresent());
    start.allow.ifPresent(types -> {
      out.natural(types.size());
      types.forEach(out::text);
    });
    out.text(start.trace);
    out.context(start.input);
    if (!start.traceparent.isEmpty()) { // earlier versions did not write it
      out.text(start.traceparent);
    }
  }

  /// Reads the message of a row. Throws [StoreException] if it cannot be read.
  static FamilyMessage of(TableRow row) {
    try {
      Decoder in = new Decoder(row.value().toArray());
      FamilyMessage read = read(in);
      in.requireEnd();
      return read;
    } catch (Decoder.DamagedBytes e) {
      throw new StoreException(
          "message '" + row.key() + "' of the store cannot be read: " + e.getMessage(), e);
    }
  }

  private static FamilyMessage read(Decoder in) {
    int kind = in.octet();
    String to = in.text();
    String from = in.text();
    EffectId task = new EffectId(in.fixed());
    return switch (kind) {
      case 1 -> readStart(in, to, from, task);
      case 2 -> new Started(to, from, task);
      case 3 -> new Completed(to, from, task, in.context());
      case 4 -> new Failed(to, from, task, in.text(), in.text());
      case 5 -> new Cancel(to, from, task);
      case 6 -> new Signalled(to, task, in.text(), in.context(), in.text(), in.text());
      default -> throw in.damaged("a message of kind " + kind);
    };
  }

  private static Start readStart(Decoder in, String to, String from, EffectId task) {
    String workflow = in.text();
    Optional<ProgramHash> program =
        in.flag() ? Optional.of(new ProgramHash(in.fixed(), in.fixed())) : Optional.empty();
    int depth = in.below(Integer.MAX_VALUE);
    boolean isDetached = in.flag();
    boolean isGiven = in.flag();
    Optional<List<String>> allow = in.flag() ? Optional.of(texts(in)) : Optional.empty();
    String trace = in.text();
    Context input = in.context();
    String parent = in.atEnd() ? "" : in.text();
    return new Start(
        to, from, task, workflow, program, depth, isDetached, isGiven, allow, trace, input, parent);
  }

  private static List<String> texts(Decoder in) {
    List<String> texts = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      texts.add(in.text());
    }
    return List.copyOf(texts);
  }
}
