package dev.damask.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// One life of the process under test, as its clients see it.
final class WorkerProcess implements AutoCloseable {
  /// Nobody knows whether what was asked for happened.
  static final class Gone extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Gone(String message) {
      super(message);
    }
  }

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Process process;
  private final Writer out;
  private final long startedNanos = System.nanoTime();
  private final AtomicLong numbers = new AtomicLong();
  private final Map<Long, CompletableFuture<String>> waiting = new ConcurrentHashMap<>();
  private final CompletableFuture<Recovery> ready = new CompletableFuture<>();
  private volatile boolean isDeaf; // written when its output has ended, read by who just asked

  /// How long it took until a process on an old store was there again.
  ///
  /// @param process from its start, with the start of Java, to the first call it takes
  /// @param open what of that the engine needed to open the store
  record Recovery(Duration process, Duration open) {}

  /// @param wrapper what starts the process in place of us; empty for nothing
  WorkerProcess(List<String> wrapper, Path folder, int witnessPort) {
    process =
        Java.start(
            wrapper,
            folder,
            Worker.class.getName(),
            folder.resolve("store").toString(),
            Integer.toString(witnessPort));
    out = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    Thread.ofVirtual().start(this::listen);
  }

  private void listen() {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] parts = line.split(" ", 2);
        if (parts[0].equals(Worker.READY)) {
          ready.complete(
              new Recovery(
                  Duration.ofNanos(System.nanoTime() - startedNanos),
                  Duration.of(Long.parseLong(parts[1]), java.time.temporal.ChronoUnit.MICROS)));
        } else {
          CompletableFuture<String> answer = waiting.remove(Long.parseLong(parts[0]));
          if (answer != null) {
            answer.complete(parts[1]);
          }
        }
      }
    } catch (IOException closed) {
      // killing a process closes what it could have said
    }
    isDeaf = true;
    Gone gone = new Gone("the process has gone");
    ready.completeExceptionally(gone);
    waiting.values().forEach(answer -> answer.completeExceptionally(gone));
    waiting.clear();
  }

  /// Waits until it takes calls; throws [Gone] when it never did.
  Recovery awaitReady() {
    return get(ready);
  }

  /// Asks and waits for the answer; throws [Gone] when there is none.
  String ask(String kind, String caseId, String words) {
    long number = numbers.incrementAndGet();
    CompletableFuture<String> answer = new CompletableFuture<>();
    waiting.put(number, answer);
    try {
      synchronized (out) {
        out.write(number + " " + kind + " " + caseId + " " + words + "\n");
        out.flush();
      }
    } catch (IOException e) {
      throw new Gone("the process takes nothing any more: " + e.getMessage());
    }
    if (isDeaf) {
      answer.completeExceptionally(new Gone("the process has gone"));
    }
    String text = get(answer);
    if (text.startsWith(Worker.NO_ANSWER)) {
      throw new Gone(text);
    }
    return text;
  }

  private static <T> T get(CompletableFuture<T> future) {
    try {
      return future.orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof Gone gone ? gone : new IllegalStateException(e.getCause());
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /// The signal that no process can catch.
  int kill() throws InterruptedException {
    process.destroyForcibly();
    return process.waitFor();
  }

  /// Lets it end by itself; says how it did.
  int end() throws InterruptedException {
    try {
      out.close();
    } catch (IOException gone) {
      // it has ended already
    }
    if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new IllegalStateException("the process does not end");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.onExit().join(); // it holds files until it is gone
  }
}
