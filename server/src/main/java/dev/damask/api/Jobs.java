package dev.damask.api;

import dev.damask.json.JsonWriter;
import dev.damask.nursery.ErrorPolicy;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Long work that requests have started, with its progress. Jobs end with the server; what they
/// have done stays done.
public final class Jobs implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Jobs.class.getName());
  private static final int RUNNING_MAX = 4;
  private static final int KEPT_MAX = 100;

  private final Clock clock;
  private final Nursery nursery =
      Nursery.open(
          NurseryOptions.named("jobs")
              .withGrace(Duration.ofSeconds(5))
              .withPolicy(ErrorPolicy.SUPERVISE));
  private final Map<String, Job> jobs = new LinkedHashMap<>(); // with its lock

  Jobs(Clock clock) {
    this.clock = clock;
  }

  /// What a job does.
  @FunctionalInterface
  public interface Work {
    /// Works, and returns the result for people.
    Map<String, @Nullable Object> run(Job job) throws InterruptedException;
  }

  /// Ends work that was asked to end early and has no other way out.
  private static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stopped() {
      super("the job was stopped", null, false, false);
    }
  }

  /// How far a job is.
  public enum State {
    RUNNING,
    DONE,
    STOPPED,
    FAILED
  }

  /// One job. Its fields are written by the job and read by requests.
  public static final class Job {
    final String id = UUID.randomUUID().toString();
    final String kind;
    final String workflow;
    final Instant started;
    private volatile State state = State.RUNNING;
    private volatile long done;
    private volatile long total;
    private volatile long failed;
    private volatile boolean isStopping;
    private volatile boolean isEarly; // whether the work was told to end early
    private volatile Map<String, @Nullable Object> result = Map.of();

    Job(String kind, String workflow, Instant started) {
      this.kind = kind;
      this.workflow = workflow;
      this.started = started;
    }

    /// Notes how far the job is.
    public void progress(long newDone, long newFailed, long newTotal) {
      done = newDone;
      failed = newFailed;
      total = newTotal;
    }

    /// Returns whether the job is to end early. Work that receives true must end.
    public boolean isStopping() {
      isEarly |= isStopping;
      return isStopping;
    }

    /// Throws [Stopped] if the job is to end early.
    public void requireRunning() {
      if (isStopping()) {
        throw new Stopped();
      }
    }

    /// Asks the job to end early.
    public void stop() {
      isStopping = true;
    }

    /// Returns the job as JSON.
    public Map<String, @Nullable Object> json() {
      Map<String, @Nullable Object> all =
          JsonWriter.object(
              "job", id,
              "kind", kind,
              "workflow", workflow.isEmpty() ? null : workflow,
              "state", state.name(),
              "started", started.toString(),
              "done", done,
              "failed", failed,
              "total", total);
      all.putAll(result);
      return all;
    }
  }

  /// Starts a job. Throws [Problem] if too many run.
  ///
  /// @param workflow the workflow that it concerns; empty for the whole store
  public Job start(String kind, String workflow, Work work) {
    Job job = new Job(kind, workflow, clock.instant());
    synchronized (jobs) {
      long running = jobs.values().stream().filter(each -> each.state == State.RUNNING).count();
      if (running >= RUNNING_MAX) {
        throw new Problem(Problem.Kind.TOO_MANY, "too many jobs run; wait until one has ended");
      }
      jobs.put(job.id, job);
      if (jobs.size() > KEPT_MAX) {
        jobs.values().stream()
            .filter(each -> each.state != State.RUNNING)
            .map(each -> each.id)
            .findFirst()
            .ifPresent(jobs::remove);
      }
    }
    nursery.launch(
        "job " + kind,
        _ -> {
          try {
            job.result = work.run(job);
            job.state = job.isEarly ? State.STOPPED : State.DONE;
          } catch (Stopped e) {
            job.state = State.STOPPED;
          } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "the job " + kind + " failed", e);
            job.result = JsonWriter.object("problem", String.valueOf(e.getMessage()));
            job.state = State.FAILED;
          } finally {
            if (job.state == State.RUNNING) { // an error, or an interruption
              job.result = JsonWriter.object("problem", "see the server's log");
              job.state = State.FAILED;
            }
          }
        });
    return job;
  }

  /// Returns a job that exists for a caller.
  public Optional<Job> find(Caller caller, String id) {
    synchronized (jobs) {
      return Optional.ofNullable(jobs.get(id)).filter(each -> isVisible(caller, each));
    }
  }

  /// Returns the jobs that exist for a caller, the newest first.
  public List<Job> list(Caller caller) {
    synchronized (jobs) {
      return jobs.values().stream().filter(each -> isVisible(caller, each)).toList().reversed();
    }
  }

  private static boolean isVisible(Caller caller, Job job) {
    return job.workflow.isEmpty() ? caller.seesAll() : caller.sees(job.workflow);
  }

  @Override
  public void close() {
    synchronized (jobs) {
      jobs.values().forEach(Job::stop);
    }
    nursery.cancel("the server is closing");
    nursery.close();
  }
}
