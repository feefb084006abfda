package dev.damask.cli.command;

import dev.damask.cluster.ClusterProvider;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The URLs of clusters, such as `postgresql://user:password@host/database`.
public final class ClusterUrls {
  private static final Pattern URL = Pattern.compile("(?i)(postgres(?:ql)?):/{0,2}(.*)");

  private ClusterUrls() {}

  /// Returns the URL that a string is, or null if it is a directory.
  public static @Nullable String url(String text) {
    Matcher matcher = URL.matcher(text);
    return matcher.matches() ? matcher.group(1) + "://" + matcher.group(2) : null;
  }

  /// Returns the URL that an argument is. Throws [Refusal] if it is none.
  public static String require(String text) {
    String url = url(text);
    if (url == null) {
      throw new Refusal(
          "'" + text + "': expected a URL such as postgresql://user:password@host/database");
    }
    return url;
  }

  /// Returns what opens a URL. Throws [Refusal] if nothing does.
  public static ClusterProvider provider(String url) {
    return ServiceLoader.load(ClusterProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(each -> each.accepts(url))
        .findFirst()
        .orElseThrow(
            () -> new Refusal("no cluster is available; damask-store-postgres is missing"));
  }
}
