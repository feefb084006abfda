package dev.damask.store.postgres;

import dev.damask.store.StoreException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/// The address of a cluster: `postgresql://user:password@host:port/database?schema=name`. The port
/// is 5432 and the schema `damask` by default. Other parameters are the driver's.
public final class PostgresUrl {
  private static final String SCHEME = "postgresql";
  private static final int PORT = 5432;

  private final PGSimpleDataSource source = new PGSimpleDataSource();
  private final String shown;
  private PostgresOptions options = PostgresOptions.DEFAULT;

  private PostgresUrl(String shown) {
    this.shown = shown;
  }

  /// Returns whether a string is such an address and not a directory.
  public static boolean isUrl(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    return lower.startsWith(SCHEME + ":") || lower.startsWith("postgres:");
  }

  /// Reads an address. Throws [StoreException] if it is malformed. Connects to nothing.
  public static PostgresUrl parse(String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw malformed("<unreadable>", e);
    }
    String path = uri.getPath();
    if (uri.getHost() == null || path == null || path.length() < 2) {
      throw malformed(shown(uri), null);
    }
    PostgresUrl url = new PostgresUrl(shown(uri));
    url.source.setServerNames(new String[] {uri.getHost()});
    url.source.setPortNumbers(new int[] {uri.getPort() < 0 ? PORT : uri.getPort()});
    url.source.setDatabaseName(path.substring(1));
    String user = uri.getRawUserInfo();
    if (user != null) {
      String[] parts = user.split(":", 2);
      url.source.setUser(decoded(parts[0]));
      if (parts.length > 1) {
        url.source.setPassword(decoded(parts[1]));
      }
    }
    if (uri.getRawQuery() != null) {
      for (String parameter : uri.getRawQuery().split("&", -1)) {
        url.set(parameter);
      }
    }
    return url;
  }

  private void set(String parameter) {
    String[] parts = parameter.split("=", 2);
    if (parts.length < 2) {
      throw new StoreException(shown + ": parameter '" + parameter + "' has no value");
    }
    try {
      if (parts[0].equals("schema")) {
        options = options.withSchema(decoded(parts[1]));
      } else {
        source.setProperty(decoded(parts[0]), decoded(parts[1]));
      }
    } catch (java.sql.SQLException e) {
      throw new StoreException(shown + ": unknown parameter '" + parts[0] + "'", e);
    } catch (IllegalArgumentException e) {
      throw new StoreException(shown + ": " + e.getMessage(), e);
    }
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  /// Returns the address without the password.
  private static String shown(URI uri) {
    return SCHEME
        + "://"
        + uri.getHost()
        + (uri.getPort() < 0 ? "" : ":" + uri.getPort())
        + uri.getPath();
  }

  private static StoreException malformed(String shown, @Nullable Throwable cause) {
    String sentence =
        shown + ": not a valid address; use postgresql://user:password@host:port/database";
    return cause == null ? new StoreException(sentence) : new StoreException(sentence, cause);
  }

  /// Returns connections without a pool.
  public DataSource source() {
    return source;
  }

  /// Returns the options that the address names.
  public PostgresOptions options() {
    return options;
  }

  /// Returns the address without user and password.
  @Override
  public String toString() {
    return shown;
  }
}
