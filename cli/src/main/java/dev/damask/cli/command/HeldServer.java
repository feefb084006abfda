package dev.damask.cli.command;

import dev.damask.cases.OwnerService;
import dev.damask.json.Json;
import dev.damask.json.JsonProblem;
import dev.damask.store.StoreException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Finds the process that holds a store, through the file that it has written for its owner.
final class HeldServer {
  /// How long a process that has just opened a store needs to begin to serve it.
  private static final Duration STARTING = Duration.ofSeconds(5);

  private static final long POLL_MILLIS = 50;

  private HeldServer() {}

  /// Returns the client of the process; empty if it does not serve the store.
  static Optional<ServerClient> find(StoreFolder folder, StoreException.Held held) {
    CountDownLatch never = new CountDownLatch(1);
    try {
      do {
        Optional<ServerClient> found = read(folder, held.holder());
        if (found.isPresent()) {
          return found;
        }
      } while (isStarting(folder) && !never.await(POLL_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return Optional.empty();
  }

  /// The lock file is written when a process opens the store.
  private static boolean isStarting(StoreFolder folder) {
    try {
      Instant opened = Files.getLastModifiedTime(folder.path().resolve("holder")).toInstant();
      return Instant.now().isBefore(opened.plus(STARTING));
    } catch (IOException e) {
      return false;
    }
  }

  /// A file of another process than the one that holds the store was left behind by a killed one.
  private static Optional<ServerClient> read(StoreFolder folder, String holder) {
    Path file = folder.path().resolve(OwnerService.FILE);
    try {
      Json json = JsonFiles.read(Files.readString(file));
      Map<String, @Nullable Object> fields =
          json instanceof Json.Fields all ? all.plainEntries(Json.Numeral::number) : Map.of();
      if (!holder.equals("process " + fields.get("process"))) {
        return Optional.empty();
      }
      URI url = URI.create(String.valueOf(fields.get("url")));
      return Optional.of(ServerClient.held(url, String.valueOf(fields.get("token")), folder));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException | IllegalArgumentException | JsonProblem e) {
      throw new Refusal(file + ": cannot be read: " + e.getMessage() + "; see who owns the store");
    }
  }
}
