package dev.damask.intake;

import dev.damask.caller.Actor;
import dev.damask.caller.CaseReply;
import dev.damask.caller.MigrationResult;
import dev.damask.caller.StartReply;
import dev.damask.cluster.CaseMessage;
import dev.damask.event.Input;
import dev.damask.store.AuditEntry;
import dev.damask.store.CaseMovedException;
import dev.damask.store.CommitBatch;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.task.EffectId;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The reply to a request that is made on behalf of an [Actor]. The commit that decides the reply
/// has an entry of the audit log; a refusal has its own entry.
public final class AuditedReply<T> extends CompletableFuture<T> {
  /// On whose behalf the current thread calls the engine.
  public static final ScopedValue<Actor> ACTOR = ScopedValue.newInstance();

  private final Actor actor;
  private final CompletableFuture<T> caller;
  private final Store store;
  private final LongSupplier clock;
  private @Nullable CaseMessage about; // null until the request is made
  private String reason = "";
  private boolean isSent; // whether the owner of the case writes the entry

  private AuditedReply(Actor actor, CompletableFuture<T> caller, Store store, LongSupplier clock) {
    this.actor = actor;
    this.caller = caller;
    this.store = store;
    this.clock = clock;
  }

  /// Returns a request that is audited if the current thread acts for an actor and it changes
  /// something.
  public static <T> Function<CompletableFuture<T>, Request> of(
      Function<CompletableFuture<T>, Request> request, Store store, LongSupplier clock) {
    if (!ACTOR.isBound()) {
      return request;
    }
    Actor actor = ACTOR.get();
    return caller -> {
      AuditedReply<T> reply = new AuditedReply<>(actor, caller, store, clock);
      Request made = request.apply(reply);
      CaseMessage message = CaseMessages.of(made, "");
      if (message == null || made instanceof Request.Index) {
        return request.apply(caller); // it changes nothing
      }
      reply.about = message;
      reply.reason = reasonOf(made, actor);
      return made;
    };
  }

  private static String reasonOf(Request request, Actor actor) {
    String own =
        switch (request) {
          case Request.PauseCase pause -> pause.reason();
          case Request.Feed(_, Input.ChangeData change, _, _, _) -> change.reason();
          case Request.Feed(_, Input.Kill kill, _, _, _) -> kill.reason();
          default -> "";
        };
    return own.isEmpty() ? actor.reason() : own;
  }

  /// Returns the message of a request that another node applies, with the actor if it has one. The
  /// other node writes the entry.
  public static @Nullable CaseMessage named(Request request, @Nullable CaseMessage message) {
    if (message == null || !(request.future() instanceof AuditedReply<?> reply)) {
      return message;
    }
    reply.isSent = true;
    return OperatorMessages.acting(message, reply.actor.because(reply.reason));
  }

  /// Returns the revision that a case must have for the request of a reply; -1 if any may be.
  public static long requiredRevision(@Nullable CompletableFuture<?> future) {
    Actor actor = actor(future);
    return actor == null ? -1 : actor.revision().orElse(-1);
  }

  /// Returns on whose behalf the request of a reply was made; null if it has no actor.
  public static @Nullable Actor actor(@Nullable CompletableFuture<?> future) {
    return switch (future) {
      case AuditedReply<?> own -> own.actor;
      case InboxReply inbox -> inbox.actor();
      case null, default -> null;
    };
  }

  /// Returns the entry of the commit that decides a reply; null if the future is not audited.
  public static @Nullable AuditEntry entry(CompletableFuture<?> future, Object value, long now) {
    return switch (future) {
      case AuditedReply<?> own when own.about != null ->
          entry(own.actor.because(own.reason), own.about, outcome(value), now);
      case InboxReply inbox when inbox.actor() != null ->
          entry(inbox.actor(), inbox.inner(), outcome(value), now);
      default -> null;
    };
  }

  /// Returns the entry of a message that is refused; none if it has no actor.
  public static List<AuditEntry> refused(CaseMessage message, Throwable thrown, long now) {
    Actor actor = OperatorMessages.actor(message);
    return actor == null
        ? List.of()
        : List.of(refusal(actor, OperatorMessages.inner(message), thrown, now));
  }

  private static AuditEntry refusal(Actor actor, CaseMessage message, Throwable thrown, long now) {
    Actor why = actor.because(String.valueOf(thrown.getMessage()));
    return entry(why, message, "refused", now);
  }

  private static AuditEntry entry(Actor actor, CaseMessage message, String outcome, long now) {
    Object effect = message.body().get("effect");
    String subject = effect instanceof Long id ? new EffectId(id).toString() : message.name();
    return new AuditEntry(
        now, actor.name(), message.kind(), message.caseId(), subject, outcome, actor.reason());
  }

  private static String outcome(Object value) {
    String word =
        switch (value) {
          case CaseReply(var kind, _) -> kind.name();
          case StartReply(var kind, _) -> kind.name();
          case MigrationResult.Moved _ -> "moved";
          case MigrationResult.Refused _ -> "refused";
          case Boolean done -> done ? "done" : "nothing to do";
          default -> value.getClass().getSimpleName();
        };
    return word.toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  @Override
  public boolean complete(T value) {
    return super.complete(value) && caller.complete(value);
  }

  @Override
  public boolean completeExceptionally(Throwable thrown) {
    if (!super.completeExceptionally(thrown)) {
      return false;
    }
    CaseMessage message = about;
    boolean isLogged =
        !isSent && !(thrown instanceof CaseMovedException) && !(thrown instanceof StoreException);
    if (message != null && isLogged) {
      AuditEntry entry = refusal(actor, message, thrown, clock.getAsLong());
      var _ =
          store
              .commit(CommitBatch.ofAudit(List.of(entry)))
              .whenComplete((_, _) -> caller.completeExceptionally(thrown));
    } else {
      caller.completeExceptionally(thrown);
    }
    return true;
  }
}
