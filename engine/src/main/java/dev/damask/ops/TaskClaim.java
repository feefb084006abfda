package dev.damask.ops;

import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;

/// A task that a worker holds until its lease ends.
///
/// @param effect the execution of the task
/// @param id names this claim and no other
/// @param isOnce whether the task must not be given to another worker when the lease has ended
/// @param claimedMillis when it was claimed
/// @param untilMillis when the lease ends
public record TaskClaim(
    String caseId,
    EffectId effect,
    String id,
    String worker,
    String type,
    int attempt,
    boolean isOnce,
    long claimedMillis,
    long untilMillis) {
  /// The kind of the rows in a store that one engine writes.
  public static final String KIND = "claim";

  private static final int FORMAT = 1;

  /// Returns whether the worker still holds the task.
  public boolean isLiving(long now) {
    return now < untilMillis;
  }

  /// Returns the same claim with another end of its lease.
  public TaskClaim until(long millis) {
    return new TaskClaim(caseId, effect, id, worker, type, attempt, isOnce, claimedMillis, millis);
  }

  /// Returns the key of the row of a task's claim.
  public static TableRow key(String caseId, EffectId effect) {
    return new TableRow(KIND, caseId + "/" + effect, 1, Bytes.of());
  }

  TableRow row() {
    Encoder out = new Encoder();
    out.octet(FORMAT);
    out.text(caseId);
    out.fixed(effect.lineage());
    out.text(id);
    out.text(worker);
    out.text(type);
    out.natural(attempt);
    out.flag(isOnce);
    out.whole(claimedMillis);
    out.whole(untilMillis);
    return new TableRow(KIND, key(caseId, effect).key(), 1, Bytes.of(out.toBytes()));
  }

  static TaskClaim of(TableRow row) {
    Decoder in = new Decoder(row.value().toArray());
    int format = in.octet();
    if (format != FORMAT) {
      throw in.damaged("the format " + format + " of a claim");
    }
    TaskClaim claim =
        new TaskClaim(
            in.text(),
            new EffectId(in.fixed()),
            in.text(),
            in.text(),
            in.text(),
            in.below(Integer.MAX_VALUE),
            in.flag(),
            in.whole(),
            in.whole());
    in.requireEnd();
    return claim;
  }
}
