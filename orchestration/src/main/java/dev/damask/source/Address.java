package dev.damask.source;

import java.util.Collection;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Names of owners, callers and rules. Addresses, `0x` with 40 hexadecimal digits, are compared
/// without case, because their case is only a checksum; other names are compared as they are.
public final class Address {
  private static final Pattern FORM = Pattern.compile("0[xX][0-9a-fA-F]{40}");

  private Address() {}

  /// Whether a name is an address: `0x` and 40 hexadecimal digits.
  public static boolean is(String name) {
    return FORM.matcher(name).matches();
  }

  /// The one spelling of a name.
  static String plain(String name) {
    return is(name) ? name.toLowerCase(Locale.ROOT) : name;
  }

  /// Whether two names are the same. Addresses compare case-insensitively.
  public static boolean same(String one, String other) {
    return one.equals(other) || (is(one) && one.equalsIgnoreCase(other));
  }

  /// Whether a name is in a collection, compared as in [#same].
  public static boolean isAmong(Collection<? extends @Nullable Object> names, String name) {
    return names.stream().anyMatch(each -> each instanceof String text && same(text, name));
  }
}
