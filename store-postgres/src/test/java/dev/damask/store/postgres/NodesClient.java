package dev.damask.store.postgres;

import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.event.Reply;
import dev.damask.simulation.InvariantViolation;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The client of one case: it starts the case, sends signals and waits for the end. What is not
/// answered in time it asks again, on any node, under the same message id.
final class NodesClient {
  static final int ADDITIONS = 3;
  private static final int PATIENCE_MILLIS = 3_000;
  private static final int RETRY_MILLIS = 300;

  private final NodesRun run;
  private final NodesPlan.Job job;
  final String caseId;
  private final List<String> accepted = new ArrayList<>();
  private int messages;
  private int attempts;
  private String messageId = "";
  private boolean isStarted;
  private boolean isBurst;
  private boolean isEnded;
  private @Nullable CaseResult<Context> result; // null until the end is known

  NodesClient(NodesRun run, NodesPlan.Job job, int number) {
    this.run = run;
    this.job = job;
    this.caseId = "case-" + number;
  }

  boolean isDone() {
    return result != null;
  }

  void begin() {
    run.host.later(NodesRun.nanos(job.atMillis()), this::next);
  }

  private int needed() {
    return switch (job.work()) {
      case ORDER -> 1;
      case COUNT, ANONYMOUS, BURST -> ADDITIONS;
      case TIMER, SHARED_KEY -> 0;
    };
  }

  private void later(long millis) {
    run.host.later(NodesRun.nanos(millis), this::next);
  }

  private interface Call {
    void on(Engine engine) throws Exception;
  }

  /// Does the next step on some node.
  private void next() {
    if (result != null || run.isOver()) {
      return;
    }
    if (!isStarted) {
      ask(engine -> {
        engine.start(run.definition(job.work()), caseId, Context.of("seen", ""));
        isStarted = true;
        run.host.note(caseId + " is started");
      });
    } else if (job.work() == NodesPlan.Work.BURST && !isBurst) {
      isBurst = true;
      burst(1);
      burst(-1);
      later(job.pauseMillis());
    } else if (accepted.size() < needed() && !isEnded) {
      if (messageId.isEmpty() || job.work() == NodesPlan.Work.ANONYMOUS) {
        messageId = caseId + "-m" + ++messages;
      }
      String sent = messageId;
      ask(engine -> signal(engine, sent));
    } else {
      ask(engine -> {
        // An earlier call that ends without an answer must not take back the answer of a later one.
        engine.await(caseId, Duration.ofMillis(PATIENCE_MILLIS / 2)).ifPresent(end -> result = end);
      });
    }
  }

  /// Sends all messages at once to one node, without waiting.
  private void burst(int direction) {
    SimulatedNode node = run.anyNode();
    if (node == null) {
      return;
    }
    Engine engine = Objects.requireNonNull(node.engine);
    for (int i = 0; i < ADDITIONS; i++) {
      String sent = caseId + "-m" + (direction > 0 ? i + 1 : ADDITIONS - i);
      node.process.start(
          "burst",
          () -> {
            try {
              engine.signal(caseId, "go", Map.of("m", sent), sent);
            } catch (IllegalStateException | IllegalArgumentException e) {
              run.host.detail(caseId + ": " + e); // it is sent again
            }
          });
    }
  }

  private void signal(Engine engine, String sent) {
    CaseReply reply =
        job.work() == NodesPlan.Work.ANONYMOUS
            ? engine.signal(caseId, "go", Map.of("m", sent))
            : engine.signal(caseId, "go", Map.of("m", sent), sent);
    run.host.note(caseId + " " + sent + " " + reply.kind());
    boolean isLate = !sent.equals(messageId); // an answer to an earlier attempt
    if (isLate && job.work() != NodesPlan.Work.ANONYMOUS) {
      return;
    }
    if (reply.kind() == Reply.ACCEPTED || reply.kind() == Reply.BUFFERED) {
      accepted.add(sent);
      run.invariants.read(caseId, reply.revision(), 0);
      messageId = "";
    } else if (job.work() == NodesPlan.Work.ANONYMOUS) {
      isEnded = reply.kind() == Reply.CASE_ENDED; // by messages whose answers were lost
    } else {
      run.violated(
          new InvariantViolation("N2", caseId + " " + sent + ": " + reply.kind() + " " + accepted));
    }
  }

  private void ask(Call call) {
    SimulatedNode node = run.anyNode();
    if (node == null) {
      later(RETRY_MILLIS);
      return;
    }
    int attempt = ++attempts;
    boolean[] isAnswered = {false};
    Engine engine = Objects.requireNonNull(node.engine);
    node.process.start(
        "call",
        () -> {
          try {
            if (run.host.below(2) == 0) {
              read(engine);
            }
            call.on(engine);
          } catch (IllegalStateException | IllegalArgumentException e) {
            run.host.detail(caseId + ": " + e);
            refused(e);
          } catch (Exception e) {
            run.host.detail(caseId + ": " + e);
          } finally {
            if (!isAnswered[0] && attempt == attempts) {
              isAnswered[0] = true;
              run.host.later(NodesRun.nanos(job.pauseMillis()), this::next);
            }
          }
        });
    run.host.later(
        NodesRun.nanos(PATIENCE_MILLIS),
        () -> {
          if (!isAnswered[0] && attempt == attempts) {
            isAnswered[0] = true;
            next();
          }
        });
  }

  private void refused(RuntimeException e) {
    boolean isMissing = String.valueOf(e.getMessage()).contains("there is no case");
    if (isStarted && isMissing) {
      run.violated(new InvariantViolation("I1", caseId + " is missing"));
    }
  }

  private void read(Engine engine) {
    if (isStarted) {
      long before = run.invariants.seen(caseId);
      run.invariants.read(caseId, engine.status(caseId).revision(), before);
    }
  }

  /// Checks the end of the case.
  void judge() {
    CaseResult<Context> end = Objects.requireNonNull(result);
    switch (end) {
      case CaseResult.Completed<Context>(var context) -> completed(context);
      case CaseResult.Failed<Context>(var failure) -> {
        boolean isLegal =
            job.work() == NodesPlan.Work.ORDER
                && failure.reason().equals("unknown_outcome")
                && !run.plan.isHarmless();
        if (!isLegal) {
          run.violated(new InvariantViolation("I16", caseId + " failed: " + failure));
        }
      }
      default -> run.violated(new InvariantViolation("I16", caseId + " ended with " + end));
    }
  }

  private void completed(Context context) {
    if (needed() < ADDITIONS) {
      return;
    }
    List<String> counted = List.of(String.valueOf(context.get("seen")).substring(1).split(","));
    Set<String> distinct = new TreeSet<>(counted);
    if (distinct.size() != counted.size()) {
      run.violated(new InvariantViolation("I14", caseId + " counted twice: " + counted));
    }
    if (!distinct.containsAll(accepted)) {
      run.violated(
          new InvariantViolation("I14", caseId + " lost one of " + accepted + ": " + counted));
    }
  }
}
