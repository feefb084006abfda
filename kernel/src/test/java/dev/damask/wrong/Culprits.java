package dev.damask.wrong;

import java.io.IOException;
import java.lang.System.Logger;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

/// Everything the kernel must not do, one class each, so that each rule can be seen to work.
@SuppressWarnings({"DefaultCharset", "StringCaseLocaleUsage", "AnnotateFormatMethod", "unused"})
final class Culprits {
  private Culprits() {}

  static final class ReadsTheClock {
    Object now() {
      return List.of(Instant.now(), Clock.systemUTC().millis());
    }
  }

  static final class ReadsTheTicks {
    long now() {
      return System.nanoTime() + System.currentTimeMillis();
    }
  }

  static final class RollsDice {
    double roll() {
      return Math.random()
          + ThreadLocalRandom.current().nextDouble()
          + new SecureRandom().nextInt();
    }
  }

  static final class MakesUpNames {
    Object name() {
      return List.of(UUID.randomUUID(), new Random());
    }
  }

  static final class StartsThreads {
    Thread start() {
      return Thread.ofVirtual().start(() -> {});
    }
  }

  static final class RunsSomewhere {
    CompletableFuture<Integer> run() {
      return CompletableFuture.supplyAsync(() -> 1);
    }
  }

  static final class RunsInParallel {
    long run() {
      return List.of(1, 2).parallelStream().count() + List.of(1).stream().parallel().count();
    }
  }

  static final class ReadsFiles {
    String read() throws IOException {
      return Files.readString(Path.of("x"));
    }
  }

  static final class KnowsAddresses {
    URI address() {
      return URI.create("http://localhost");
    }
  }

  static final class Logs {
    void log() {
      System.getLogger("x").log(Logger.Level.INFO, "x");
    }
  }

  static final class Prints {
    void print() {
      System.out.println("x");
    }
  }

  static final class IteratesInAnyOrder {
    Object make() {
      return List.of(Map.of(1, 2), Set.of(1), Map.copyOf(Map.of()), Set.copyOf(Set.of()));
    }
  }

  static final class LooksAtIdentity {
    int hash(Object it) {
      return System.identityHashCode(it);
    }
  }

  static final class FormatsByLocale {
    String format(int n) {
      return "%d".formatted(n) + String.format("%d", n) + "X".toLowerCase();
    }
  }

  static final class AsksTheMachine {
    Object ask() {
      String text = new String("x".getBytes());
      return List.of(Locale.getDefault(), ZoneId.systemDefault(), Charset.defaultCharset(), text);
    }
  }

  static final class Reflects {
    Object reflect() throws ReflectiveOperationException {
      return String.class.getMethod("length").invoke("x");
    }
  }
}
